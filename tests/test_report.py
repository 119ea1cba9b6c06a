"""The report page and published results: contents, escaping, no network, in a browser."""

import csv
import html.parser
import json
import re
import shutil
import subprocess

import pytest
from made_up_runs import METHODS, VERSIONS, make_record, nine_small_sets, write_records, write_reported

from algos.exceptions import InputError
from algos.experiments import figures, published, report, tables

HOSTILE = "<script>alert(1)</script>\"'&amp;<img src=http://evil.invalid/x.png>"
SETTINGS = {
    "datasets": ["wine"],
    "seed": 2014,
    "selection": {"n_folds": 5},
    "reported": None,
    "methods": {
        "tree": {"params": {"n_estimators": 100}, "grid": {"n_inner_nodes": [1, 2, 4, 8]}},
        "svm": {"grid": {"C": [1.0, 10.0], "gamma": [0.1]}, "preprocess": {"scale": "standard"}},
    },
}
PRINTED = [
    "balance,ADABOOST.MH w Hamming trees,5,4",
    "balance,SVM (Gaussian kernel),10,2",
    "wine,ADABOOST.MH w Hamming trees,2,3",
    "wine,SVM (Gaussian kernel),3,4",
    "wine,Forest,3,4",
    "glass,SVM (Gaussian kernel),3,4",
]
SOURCES = [
    {"dataset": "wine", "file": "wine.csv", "source": "https://a.invalid/wine", "sha256": "ab" * 32, "note": None}
]


def make_experiment(folder, records, reported=None, **changes):
    paths = write_records(folder / "runs", records)
    tables.write_tables(paths, reported, {}, METHODS, folder / "tables", "Demo")
    style = {"dpi": 60, "width": "column"}
    figures.write_figures(paths, folder / "tables", reported, style, folder / "figures", "demo")
    entry = {
        "name": "demo",
        "title": "Demo",
        "paper": "A paper, 2014",
        "protocol": {"kind": "repeated_kfold", "n_splits": 10, "n_repeats": 1},
        "tables_dir": folder / "tables",
        "figures_dir": folder / "figures",
        "settings": SETTINGS,
    }
    return entry | changes


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    """Two data sets and methods beside printed numbers, one of which is missed."""
    folder = tmp_path_factory.mktemp("experiment")
    records = [record for record in nine_small_sets() if record["dataset"] in ("balance", "wine")]
    return make_experiment(folder, records, write_reported(folder, PRINTED))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """An experiment without printed numbers whose every name tries to break out of the page."""
    folder = tmp_path_factory.mktemp("hostile")
    records = [make_record(HOSTILE, "svm", chosen={HOSTILE: HOSTILE}, versions={HOSTILE: HOSTILE})]
    return make_experiment(folder, records, title=HOSTILE, name=HOSTILE, paper=HOSTILE, protocol=HOSTILE)


@pytest.fixture(scope="module")
def page(experiment, hostile, tmp_path_factory):
    """The report of both experiments: path of the HTML file."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    report.write_report([experiment, hostile], [*SOURCES, {"dataset": HOSTILE}], "make reproduce", path)
    return path


class Page(html.parser.HTMLParser):
    """Elements, text and links of a page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.text = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data

    def of(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


def test_verdict_comes_first_and_counts(page):
    text = " ".join(Page(page.read_text()).text.split())
    assert "3 of 4 printed cells reproduced within the error bar." in text
    assert "balance, SVM, Gaussian kernel: print 10.0 ± 2.0 %, ours 5.00 ± 0.61 %. 5.00 points below the print" in text
    assert "2 printed cells of the same table not run here: Forest; data sets glass." in text
    assert text.index("3 of 4 printed cells") < text.index("Results")


def test_page_has_what_a_reader_asks_for(page):
    text = " ".join(Page(page.read_text()).text.split())
    for part in (
        "Stratified 10-fold cross-validation",
        "n_inner_nodes = 1, 2, 4, 8",
        "scale = standard",
        "make reproduce",
        "ab" * 32,
        "scikit-learn 1.8.0",
        "peak memory, MiB",
        figures.CAPTIONS["learning_curves"],
        "Fewer than three common data sets (2) are too few for a test.",
    ):
        assert part in text, part


def test_page_needs_nothing_from_outside(page):
    text = page.read_text()
    parsed = Page(text)
    assert not parsed.of("script")
    for tag, attrs in parsed.elements:
        for name, value in attrs.items():
            if name in ("src", "href", "srcset", "data", "action", "poster"):
                assert value.startswith(("data:", "#")), (tag, name, value[:80])
            assert not name.startswith("on")
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.S)
    assert "url(" not in style
    assert "@import" not in style
    (policy,) = [meta["content"] for meta in parsed.of("meta") if meta.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")


def test_page_is_accessible(page):
    parsed = Page(page.read_text())
    assert parsed.of("html") == [{"lang": "en"}]
    assert any(meta.get("name") == "viewport" for meta in parsed.of("meta"))
    assert all(head.get("scope") in ("col", "row", "colgroup") for head in parsed.of("th"))
    assert len(parsed.of("caption")) == len(parsed.of("table")) > 5
    images = parsed.of("img")
    assert len(images) == 4  # the hostile experiment has only sentences
    assert all(image["alt"] and image["width"] and image["height"] for image in images)
    ids = [attrs["id"] for _, attrs in parsed.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert {link["href"][1:] for link in parsed.of("a")} <= set(ids)
    headings = [int(tag[1]) for tag, _ in parsed.elements if re.fullmatch("h[1-6]", tag)]
    assert headings[0] == 1
    assert headings.count(1) == 1


def test_hostile_names_stay_text(page):
    text = page.read_text()
    assert "<script" not in text
    assert "<img src=http" not in text
    assert Page(text).text.count(HOSTILE) >= 8  # title, paper, name, protocol, data set, parameter ...


def test_no_printed_numbers_give_best_methods(hostile):
    verdict = report.describe_experiment(hostile)["verdict"]
    assert verdict["headline"] == "Nothing printed to compare with; best method per data set:"
    assert verdict["good"] is None
    assert verdict["best"] == [f"{HOSTILE}: SVM, Gaussian kernel, 10.00 %"]


def test_best_methods_name_ties():
    records = [make_record(method=method, error=0.1) for method in ("tree", "svm")]
    records += [make_record("iris", "tree", f, e) for f, e in (("r0f0", 0.1), ("r0f1", 0.2))]
    sentences = report.best_sentences(tables.summarise(tables.fold_rows(records), METHODS))
    assert sentences == [
        "wine: AdaBoost.MH, Hamming trees and SVM, Gaussian kernel, 10.00 %",
        "iris: AdaBoost.MH, Hamming trees, 15.0 ± 7.1 %",
    ]


def test_total_sums_experiments_with_printed_numbers():
    verdicts = [{"n_inside": 3, "n_judged": 4}, {"n_inside": 0, "n_judged": 0}, {"n_inside": 5, "n_judged": 5}]
    sentence = "In all, 8 of 9 printed cells reproduced within the error bar, over 2 experiments."
    assert report.total_sentence(verdicts) == sentence
    assert report.total_sentence(verdicts[:2]) is None


def test_cells_without_printed_bar_are_not_judged():
    row = {"printed": 1.0, "printed_std": None, "within_error_bar": None, "n_runs": 1}
    verdict = report.judge([row], [])
    assert verdict["n_judged"] == 0
    assert verdict["headline"].startswith("1 printed cell beside ours, none with an error bar to judge by; best method")
    assert verdict["remarks"] == []
    verdict = report.judge([row, {**row, "printed_std": 0.5, "within_error_bar": "yes"}], [])
    assert verdict["remarks"] == ["1 of the compared cells have no printed error bar."]


def test_protocols_and_values_in_words():
    assert report.describe_protocol({"kind": "designated"}).startswith("Each data set's designated test set")
    splits = {"kind": "random_percentage", "test_percent": 50, "n_repeats": 10}
    assert report.describe_protocol(splits).startswith("10 random splits, 50 % of the rows for testing")
    assert report.describe_protocol({"kind": "new", "a": 1}) == "kind = new; a = 1"
    assert report.describe({"C": [1.0, 1e-5], "on": True, "none": None}) == "C = 1, 1e-05; on = yes; none = –"


def test_report_is_the_same_twice(experiment, tmp_path):
    for name in ("a.html", "b.html"):
        report.write_report([experiment], SOURCES, "make reproduce", tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_missing_parts_are_named(experiment, tmp_path):
    with pytest.raises(InputError, match="no experiment"):
        report.write_report([], [], "make", tmp_path / "report.html")
    with pytest.raises(InputError, match=r"summary\.csv is missing; make the tables and figures of demo first"):
        report.write_report([experiment | {"tables_dir": tmp_path}], [], "make", tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


# ------------------------------------------------------------------------------------------------- in a browser


def open_in_browser(path, folder):
    """Open a file in headless Chromium; return the DOM and the URLs that the page (not the browser) asked for."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("needs chromium")
    flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ]
    flags += ["--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder / 'profile'}"]
    flags += [f"--log-net-log={folder / 'net.json'}", "--dump-dom", path.as_uri()]
    done = subprocess.run([browser, *flags], capture_output=True, text=True, timeout=120, check=True)
    log = json.loads((folder / "net.json").read_text())
    start = log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    events = [event["params"] for event in log["events"] if event["type"] == start and "url" in event.get("params", {})]
    # The browser's own errands (updates, time) have no origin; a page's requests carry the page's.
    return done.stdout, [event["url"] for event in events if event.get("initiator") != "not an origin"]


def test_page_in_a_browser(page, tmp_path):
    dom, urls = open_in_browser(page, tmp_path)
    assert urls == []
    text = " ".join(Page(dom).text.split())
    assert "3 of 4 printed cells reproduced within the error bar." in text
    assert HOSTILE in Page(dom).text
    assert "<script" not in dom


def test_browser_test_would_see_a_request(tmp_path):
    path = tmp_path / "outside.html"
    path.write_text('<!DOCTYPE html><img src="http://outside.invalid/x.png">')
    assert open_in_browser(path, tmp_path)[1] == ["http://outside.invalid/x.png"]


# ---------------------------------------------------------------------------------------------------- published


def publish(folder, reported, records, **changes):
    origin = {"commit": "abc123", "command": "snakemake publish", "date": "2026-11-30", "settings": SETTINGS}
    paths = write_records(folder / "runs", records)
    name = reported.stem if reported else "ours"
    published.publish(paths, reported, {}, METHODS, folder / "published" / name, **origin | changes)
    return folder / "published"


def read_csv(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_published_table(tmp_path):
    reported = write_reported(tmp_path, ["wine,ADABOOST.MH w Hamming trees,2.0,3.0", "wine,Forest,3.0,4.0"], "table9")
    stale = tmp_path / "published" / "table9_ranks.png"
    stale.parent.mkdir()
    stale.write_bytes(b"of an earlier run")
    runs = [make_record(fold=f"r0f{i}", error=e) for i, e in enumerate((0.02, 0.04))]
    one_method = make_experiment(tmp_path / "one", runs, reported)
    folder = publish(tmp_path, reported, runs, figures_dir=one_method["figures_dir"])
    first, second = read_csv(folder / "table9.csv")
    assert list(first) == [
        *("dataset", "method", "test_error_percent", "std_percent"),
        *("reproduced", "reproduced_std", "best_on_test", "n_runs", "note"),
    ]
    assert (first["test_error_percent"], first["std_percent"]) == ("2.0", "3.0")  # as printed
    assert (first["reproduced"], first["reproduced_std"], first["n_runs"]) == ("3", "1.414214", "2")
    assert (second["reproduced"], second["reproduced_std"], second["n_runs"]) == ("", "", "0")
    assert second["note"] == "not run"
    assert sorted(path.name for path in folder.iterdir()) == [
        *("table9.csv", "table9.md"),
        *(f"table9_{name}.png" for name in ("error_against_n", "learning_curves", "paper_against_ours")),
    ]
    text = (folder / "table9.md").read_text()
    for part in ("`abc123`", "`snakemake publish`", "`2026-11-30`", "3.0 ± 1.4 (+1.0)", "(table9_learning_curves.png)"):
        assert part in text
    assert "    seed: 2014" in text


def test_published_rates_keep_the_unit_of_the_print(tmp_path):
    header = "dataset,method,error_rate"
    reported = write_reported(tmp_path, ["wine,SVM (Gaussian kernel),0.0921"], "rates", header)
    folder = publish(tmp_path, reported, [make_record(method="svm", fold="test", error=0.1)])
    (row,) = read_csv(folder / "rates.csv")
    assert (row["error_rate"], row["reproduced"], row["reproduced_std"]) == ("0.0921", "0.1", "0.03")


def test_without_a_print_our_numbers_are_published_alone(tmp_path):
    best = {"error": 0.05, "params": {}, "n_rounds": 9, "n_candidates": 1}
    runs = [make_record(fold="test", error=0.1, best_on_test=best), make_record(method="svm", fold="test", error=0.2)]
    folder = publish(tmp_path, None, runs)
    first, second = read_csv(folder / "ours.csv")
    assert list(first) == ["dataset", "method", "metric", *published.PUBLISHED_COLUMNS]
    assert (first["dataset"], first["method"], first["reproduced"], first["reproduced_std"]) == (
        "wine",
        "tree",
        "10",
        "3",
    )
    assert (first["best_on_test"], second["best_on_test"]) == ("5", "")
    text = (folder / "ours.md").read_text()
    assert "10.0 ± 3.0" in text
    assert "| 10.0 | 5.0 |" in text


def test_numbers_without_a_printed_one_go_to_files_of_their_own(tmp_path):
    reported = write_reported(tmp_path, ["wine,ADABOOST.MH w Hamming trees,2.0,3.0"], "table9")
    runs = [make_record(dataset, method) for dataset in ("wine", "other_wine") for method in ("tree", "stump")]
    folder = publish(tmp_path, reported, runs)
    assert [row["reproduced"] for row in read_csv(folder / "table9.csv")] == ["10"]
    found = [(row["dataset"], row["label"]) for row in read_csv(folder / "table9_standin.csv")]
    assert found == [("other_wine", METHODS[method].label) for method in ("tree", "stump")]
    assert [(row["dataset"], row["method"]) for row in read_csv(folder / "table9_more.csv")] == [("wine", "stump")]
    assert "All our results" in (folder / "table9.md").read_text()
    publish(tmp_path, reported, [make_record()])  # files of earlier runs do not stay
    assert sorted(path.name for path in folder.iterdir()) == ["table9.csv", "table9.md"]


def test_a_published_page_has_the_title_all_settings_and_what_was_not_to_be_had(tmp_path):
    shared = {"params": {"n_estimators": 9}}
    settings = {
        "title": "Trees & others",
        "paper": "A paper, 2014",
        "features": {"pca": {"n_components": 512}},
        "methods": {"tree": shared, "stump": shared, "svm": {"preprocess": {"pca": {"n_components": 30}}}},
    }
    runs = [make_record(method=m, n_features=400) for m in ("tree", "stump")] + [make_record(method="svm", n_train=20)]
    text = (publish(tmp_path, None, runs, settings=settings) / "ours.md").read_text()
    assert text.startswith("# Trees \\& others\n\nA paper, 2014\n")
    assert text.count("n_estimators: 9") == 2
    assert not re.search(r"[&*]id\d", text)
    assert "- Of 512 principal components asked for, no more were there than 13 to 400 on wine." in text.replace(
        "\\", ""
    )
    assert "- Of 30 principal components asked for, no more were there than 13 on wine (svm)." in text.replace("\\", "")


def test_a_print_of_two_decimals_is_shown_so():
    row = {"metric": "test_error", "printed": 1.25, "printed_std": None}
    assert report._printed_text(row) == "1.25"


def test_nothing_to_publish_is_refused(tmp_path):
    reported = write_reported(tmp_path, ["glass,SVM (Gaussian kernel),3,4"], "table9")
    with pytest.raises(InputError, match=r"none of these runs has a number in table9\.csv"):
        publish(tmp_path, reported, [make_record(method="svm")])
    assert not (tmp_path / "published").exists()


def test_versions_are_those_of_the_runs(experiment):
    shown = report.describe_experiment(experiment)["versions"]
    assert all(f"{package} {version}" in shown for package, version in VERSIONS.items())
