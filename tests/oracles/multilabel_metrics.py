"""Multi-label measures by their definitions: loops over samples, labels and pairs."""

import numpy as np


def ranks(scores, ties):
    """Rank of each label of one sample from 1 at the top; equals share the worst, or stand by index."""
    L = len(scores)
    if ties == "shared":
        return np.array([sum(scores[m] >= scores[j] for m in range(L)) for j in range(L)])
    sign = -1 if ties == "last_first" else 1
    order = sorted(range(L), key=lambda j: (-scores[j], sign * j))
    return np.array([order.index(j) + 1 for j in range(L)])


def counted(Y):
    """Samples with a true and a false label."""
    return [i for i in range(len(Y)) if 0 < sum(Y[i]) < len(Y[i])]


def one_error(Y, S, ties="shared"):
    losses = []
    for i in counted(Y):
        r = ranks(S[i], ties)
        top = [j for j in range(len(r)) if r[j] == r.min()]
        losses.append(np.mean([not Y[i][j] for j in top]))
    return np.mean(losses)


def coverage(Y, S, ties="shared"):
    return np.mean([(ranks(S[i], ties)[Y[i] == 1].max() - 1) / Y.shape[1] for i in counted(Y)])


def ranking_loss(Y, S, ties="shared"):
    losses = []
    for i in counted(Y):
        s = S[i] if ties == "shared" else -ranks(S[i], ties)
        pairs = [(s[a], s[b]) for a in np.flatnonzero(Y[i]) for b in np.flatnonzero(Y[i] == 0)]
        losses.append(np.mean([(a < b) + (a == b) / 2 for a, b in pairs]))
    return np.mean(losses)


def average_precision(Y, S, ties="shared"):
    values = []
    for i in counted(Y):
        r = ranks(S[i], ties)
        true = np.flatnonzero(Y[i])
        values.append(np.mean([sum(r[a] <= r[b] for a in true) / r[b] for b in true]))
    return np.mean(values)


def macro_auc(Y, S):
    return 1 - ranking_loss(Y.T, S.T)
