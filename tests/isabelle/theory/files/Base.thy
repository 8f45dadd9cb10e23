theory Base imports Main
begin

definition base :: nat where "base = 10"
datatype digit = Digit nat

end
