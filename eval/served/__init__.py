"""The served assistant under load, beside a bare graph on the same server: runs per second, CPU, memory, start-up."""
