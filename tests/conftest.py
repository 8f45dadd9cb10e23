"""Settings for all tests: property tests have no deadline, because a busy machine is not a wrong program."""

from hypothesis import HealthCheck, settings

settings.register_profile("isarstep", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("isarstep")
