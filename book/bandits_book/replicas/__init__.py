"""Public code by authors of the papers, replayed: what ``calibration="experiment"`` plays. No guarantee is claimed for it."""

from bandits_book.replicas import linucb
from bandits_book.replicas.code_linear import CodeLinear
from bandits_dp.options import FIGURES

__all__ = ["CodeLinear"]

FIGURES.update({
    "LinUCB": linucb.figure_exact, "LinUCB-LDP": linucb.figure_local, "LinUCB-JDP": linucb.figure_central,
    "LinUCB-SDP-Amp": linucb.figure_amplified, "LinUCB-SDP-Vec": linucb.figure_vector,
})
