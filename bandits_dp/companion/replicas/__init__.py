"""Public code re-made, to compare with published figures: the ``experiment`` calibration. Nothing here is proved private."""
