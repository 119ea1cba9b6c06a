"""Small data sets in the layout of VOC2007, whole or damaged, for tests."""

import io
import tarfile

import numpy as np
from PIL import Image

ROOT = "VOCdevkit/VOC2007/"


def jpeg(width=60, height=40, seed=0, mode="RGB"):
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    stream = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(stream, "JPEG", quality=90)
    return stream.getvalue()


def annotation(objects, width=60, height=40):
    """Objects: (name, xmin, ymin, xmax, ymax) or the same with difficult as the sixth."""
    items = "".join(
        f"<object><name>{o[0]}</name><difficult>{o[5] if len(o) > 5 else 0}</difficult><bndbox><xmin>{o[1]}</xmin>"
        f"<ymin>{o[2]}</ymin><xmax>{o[3]}</xmax><ymax>{o[4]}</ymax></bndbox></object>"
        for o in objects
    )
    size = f"<size><width>{width}</width><height>{height}</height><depth>3</depth></size>"
    return f"<annotation>{size}{items}</annotation>".encode()


def tree(images, splits):
    """Return path -> bytes of a data set: images is name -> objects, splits is split -> names."""
    files = {}
    for seed, (name, objects) in enumerate(images.items()):
        files[f"{ROOT}JPEGImages/{name}.jpg"] = jpeg(seed=seed)
        files[f"{ROOT}Annotations/{name}.xml"] = annotation(objects)
    for split, names in splits.items():
        files[f"{ROOT}ImageSets/Main/{split}.txt"] = "".join(f"{name}\n" for name in names).encode()
    return files


def write_tar(files, path):
    with tarfile.open(path, "w") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def write_folder(files, path):
    for name, content in files.items():
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return path
