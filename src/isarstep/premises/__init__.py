"""Which library facts a problem may use and which of them are likely to help.

`fact_base.Library` is the library in order; `available_facts.AvailableFacts` selects what may be used without giving
the answer away; `example_reader.ExampleReader` reads an example with its facts as typed propositions.
"""
