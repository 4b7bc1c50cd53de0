"""Datasets as static sites: folders that a browser opens from a disk, without server or network.

A family turns its splits into the records of ``records``; ``write`` writes them beside the page of
``assets``. Data are scripts that hand themselves to the page, since a page opened from a disk may
load scripts and nothing else.
"""
