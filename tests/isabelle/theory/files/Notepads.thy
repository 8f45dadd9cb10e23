theory Notepads imports Main
begin

notepad
begin
  fix x :: nat
  assume "x > 3"
  then have "x > 2" sorry
end

end
