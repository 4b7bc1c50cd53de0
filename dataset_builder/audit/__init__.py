"""The audit: does a benchmark measure memory, and nothing else?"""
