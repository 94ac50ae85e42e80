"""What the memory does for itself at night, each week and each month: one function a step."""
