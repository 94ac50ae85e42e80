"""The framework-free core of the memory platform: stages that decide, and the ports through which they are fed."""
