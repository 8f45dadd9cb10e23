"""Derivations of arithmetic as data: what calculation proves, and false ones that a careless normal form would prove:
division by zero, subtraction of naturals, roots of negative numbers, numerals, conversions between numbers.
"""

from __future__ import annotations

from tests.prove.derivations import Derivation as D

N = {"x": "nat", "y": "nat", "z": "nat", "n": "nat", "m": "nat"}
Z = {"x": "int", "y": "int", "z": "int", "n": "nat", "m": "nat"}
R = {"x": "real", "y": "real", "z": "real", "n": "nat", "m": "nat", "i": "int"}
C = {"x": "complex", "y": "complex", "z": "complex", "n": "nat"}
SEMI = {"x": "('a :: Rings.semiring_1)", "y": "('a :: Rings.semiring_1)", "n": "nat"}
RING = {"x": "('a :: Rings.ring_1)", "y": "('a :: Rings.ring_1)"}

CALCULATED = [
    D("miniF2F's line", [], "(= (* 7 (+ (* 3 y) 2)) (+ (* 21 y) 14))", C),
    D("square of a sum", [], "(= (^ (+ x y) 2) (+ (^ x 2) (+ (* 2 (* x y)) (^ y 2))))", N),
    D("difference of squares", [], "(= (* (+ x y) (- x y)) (- (^ x 2) (^ y 2)))", Z),
    D("cube", [], "(= (^ (- x y) 3) (- (- (^ x 3) (^ y 3)) (* (* 3 (* x y)) (- x y))))", C),
    D("fractions", [], "(= (+ (/ x 2) (/ x 3)) (/ (* 5 x) 6))", R),
    D("numbers", [], "(= (* (+ (/ 1 2) (/ 1 3)) (- (/ 1 2) (/ 1 (+ 3 (- x x))))) (/ 5 36))", R),
    D("cancelled", ["(neq x 0)"], "(= (/ (+ (* x x) x) x) (+ x 1))", R),
    D("cancelled, positive", ["(< 0 x)"], "(= (/ (* x y) x) y)", R),
    D("sum as denominator", ["(neq (+ x 1) 0)"], "(= (/ (- (* x x) 1) (+ x 1)) (- x 1))", R),
    D("two denominators", ["(neq x 0)", "(neq y 0)"], "(= (+ (/ 1 x) (/ 1 y)) (/ (+ x y) (* x y)))", C),
    D("inverse of inverse", [], "(= (inverse (inverse x)) x)", R),
    D("linear system", ["(= (+ x y) 3)", "(= (- x y) 1)"], "(= x 2)", C),
    D("product of equations", ["(= x (* 2 y))"], "(= (* x y) (* 2 (* y y)))", C),
    D("powers with variables", [], "(= (^ x (+ n 1)) (* x (^ x n)))", R),
    D("powers doubled", [], "(= (^ x (* 2 n)) (* (^ x n) (^ x n)))", Z),
    D("successor", [], "(= (Suc (+ x y)) (+ x (Suc y)))", N),
    D("conversions", [], "(= (of_nat (+ n (* 2 m))) (+ (of_nat n) (* 2 (+ (of_nat m) (- x x)))))", R),
    D("inside a function", ["(= (f (+ x 1)) 2)"], "(= (* (f (+ 1 x)) 1) (+ 1 1))", {**R, "f": "(fun real real)"}),
    D("zero to zero", [], "(= (^ x 0) 1)", C),
    D("two equations", [], "(& (= (+ x x) (* 2 x)) (= (* x 0) 0))", Z),
]

FALSE_ARITHMETIC = [
    # division by zero
    D("x / x", [], "(= (/ x x) 1)", R),
    D("x / x of complex numbers", [], "(= (/ x x) 1)", C),
    D("x times its inverse", [], "(= (* x (inverse x)) 1)", R),
    D("cancel without a premise", [], "(= (/ (* x y) x) y)", R),
    D("cancel a square", [], "(= (/ (^ x 2) x) (/ x x))", R),
    D("sum as denominator, not known", [], "(= (/ (- (* x x) 1) (+ x 1)) (- x 1))", R),
    D("another denominator is known", ["(neq (- x 1) 0)"], "(= (/ (- (* x x) 1) (+ x 1)) (- x 1))", R),
    D("another variable is known", ["(neq y 0)"], "(= (/ x x) 1)", R),
    D("at most 0 is known", ["(<= 0 x)"], "(= (/ x x) 1)", R),
    D("less than one is known", ["(< x 1)"], "(= (/ x x) 1)", R),
    D("inverse of zero", [], "(= (inverse (- x x)) 1)", R),
    D("inverse of a sum", [], "(= (inverse (+ x y)) (+ (inverse x) (inverse y)))", R),
    D("common denominator", [], "(= (+ (/ 1 x) (/ 1 y)) (/ (+ x y) (* x y)))", R),
    D("multiplied by a denominator", ["(= (/ x y) z)"], "(= x (* z y))", R),
    D("division by x - x", [], "(= (/ x (- x x)) x)", R),
    D("product is not zero, factor is", ["(neq (+ x y) 0)"], "(= (/ x x) 1)", R),
    D("division of integers", [], "(= (* 2 (/ x 2)) x)", Z),
    D("division of naturals", [], "(= (* 2 (/ x 2)) x)", N),
    D("sum of quotients of integers", [], "(= (+ (/ x 2) (/ x 2)) x)", Z),
    D("fractions of naturals", [], "(= (+ (/ x 2) (/ x 3)) (/ (* 5 x) 6))", N),
    D("quotient of integers times", ["(neq y 0)"], "(= (* (/ x y) y) x)", Z),
    D("division by zero of integers", [], "(= (/ x 0) x)", Z),
    D("remainder by zero", [], "(= (mod x 0) 0)", N),
    D("remainder of a sum", [], "(= (mod (+ x y) 3) (+ (mod x 3) (mod y 3)))", Z),
    D("negative remainder", [], "(= (mod (neg x) 3) (neg (mod x 3)))", Z),
    # subtraction of naturals
    D("x - y + y", [], "(= (+ (- x y) y) x)", N),
    D("difference of squares of naturals", [], "(= (* (+ x y) (- x y)) (+ (- (^ x 2) (^ y 2)) (- y x)))", N),
    D("difference moved", ["(= (- x y) z)"], "(= x (+ y z))", N),
    D("difference zero", ["(= (- x y) 0)"], "(= x y)", N),
    D("differences added", [], "(= (+ (- x y) (- y x)) 0)", N),
    D("minus twice", [], "(= (- x (- y z)) (+ (- x y) z))", N),
    D("converted difference", [], "(= (of_nat (- n m)) (- (of_nat n) (+ (of_nat m) (- x x))))", R),
    D("converted difference of integers", [], "(= (of_nat (- n m)) (- (of_nat n) (+ (of_nat m) (- x x))))", Z),
    D("predecessor", [], "(= (Suc (- x 1)) x)", N),
    D("distributed difference", [], "(= (- (* x y) y) (* (- x 1) (+ y 1)))", N),
    # conversions
    D("nat of a negative number", [], "(= (of_nat (nat x)) x)", Z),
    D("nat of a sum", [], "(= (nat (+ x y)) (+ (nat x) (nat y)))", Z),
    D("nat of a product", [], "(= (nat (neg x)) (nat x))", Z),
    D("floor of a sum", [], "(= (floor (+ x y)) (+ (floor x) (floor y)))", R),
    D("floor is the number", [], "(= (of_int (floor x)) x)", R),
    D("quotient converted", [], "(= (of_int (/ i 2)) (/ (of_int i) (+ 2 (- x x))))", R),
    D("quotient of naturals converted", [], "(= (of_nat (/ n 2)) (/ (of_nat n) (+ 2 (- x x))))", R),
    D("absolute value", [], "(= (abs x) x)", R),
    D("absolute value of a sum", [], "(= (abs (+ x y)) (+ (abs x) (abs y)))", R),
    D("norm and number", [], "(= (of_real (norm x)) x)", C),
    # roots and powers
    D("root of a square", [], "(= (sqrt (^ x 2)) x)", R),
    D("square of a root", [], "(= (^ (sqrt x) 2) x)", R),
    D("root of a sum", [], "(= (sqrt (+ x y)) (+ (sqrt x) (sqrt y)))", R),
    D("root of two", [], "(= (sqrt 2) (/ 7 5))", {}),
    D("power of a sum", [], "(= (^ (+ x y) 2) (+ (^ x 2) (^ y 2)))", C),
    D("power of a sum, exponent", [], "(= (^ x (* n n)) (* (^ x n) (^ x n)))", R),
    D("zero to a power", [], "(= (^ (- x x) n) 0)", R),
    D("powers added", [], "(= (+ (^ x n) (^ x n)) (^ x (* 2 n)))", R),
    # numerals and classes
    D("numerals", [], "(= (* 7 8) (+ x (- 54 x)))", Z),
    D("large numerals", [], "(= (+ (^ 2 64) (- x x)) (+ x (neg x)))", Z),
    D("odd is even", [], "(= (+ x x) (+ 1 (* 2 y)))", Z),
    D("product commutes in a ring", [], "(= (* x y) (* y x))", RING),
    D("square of a sum in a ring", [], "(= (* (+ x y) (+ x y)) (+ (* x x) (+ (* 2 (* x y)) (* y y))))", RING),
    D("two is not zero in a semiring", ["(= (+ x x) 0)"], "(= x 0)", SEMI),
    D("cancelled factor", ["(= (* x y) (* x z))"], "(= y z)", R),
    D("from a square", ["(= (* x x) (* y y))"], "(= x y)", C),
    D("from a sum", ["(= (+ x y) 3)"], "(= x 2)", C),
    D("wrong solution", ["(= (+ x y) 3)", "(= (- x y) 1)"], "(= x 3)", C),
    D("other factor", [], "(= (* 7 (+ (* 3 y) 2)) (+ (* 21 y) 15))", C),
]

F = {**R, "f": "(fun real real)", "g": "(fun real real)", "s": "(fun nat real)", "u": "(fun nat nat)"}

GROUND_TRUE = [
    D("definition at two places", ["(ALL (x) (= (f x) (+ (* y (^ (- x 2) 2)) 3)))", "(= (f 4) 4)"], "(= (f 6) 7)", F),
    D("functions in functions", ["(ALL (x) (= (f x) (+ x 2)))", "(ALL (x) (= (g x) (^ x 2)))", "(= (f (g y)) (g (f y)))"],
      "(= y (neg (/ 1 2)))", F),
    D("definition under a condition", ["(ALL (x) (--> (neq x 0) (= (f x) (/ 6 x))))"], "(= (* 2 (f 2)) 6)", F),
    D("recursion", ["(ALL (n) (= (s (+ n 2)) (+ (s (+ n 1)) (s n))))", "(= (s 9) 110)", "(= (s 7) 42)"],
      "(= (s 4) 10)", F),
    D("root", ["(= x (/ (- 13 (sqrt 131)) 4))", "(= (+ (- (* 2 (^ x 2)) (* 13 x)) y) 0)"], "(= y (/ 19 4))", F),
    D("mean with a root", ["(< 0 x)"], "(<= (sqrt 2) (+ x (/ 1 (* 2 x))))", F),
    D("all positive numbers", [], "(ALL (x) (--> (< 0 x) (<= 2 (+ (- y y) (+ x (/ 1 x))))))", F),
    D("quotients", ["(neq x 0)", "(neq y 0)", "(= (+ x y) (* 4 (* x y)))"], "(= (+ (/ 1 x) (/ 1 y)) 4)", F),
    D("conjunctions", ["(& (neq x 0) (& (neq y 0) (neq x y)))", "(= (+ (* 2 (^ x 2)) y) 0)",
      "(= (+ (^ y 2) (+ (* x y) y)) 0)"], "(& (= x 1) (= y (neg 2)))", F),
    D("value of a variable", ["(= n 3)", "(= x (- (of_nat (^ 2 n)) 1))"], "(= x 7)", F),
    D("natural numbers", ["(< n 3)", "(< 1 n)"], "(= (* n n) 4)", N),
]  # fmt: skip

FALSE_GROUND = [
    D("definition divides by zero", ["(ALL (x) (= (f x) (/ 1 x)))"], "(= (* 0 (f 0)) 1)", F),
    D("definition divides by zero, alone", ["(ALL (x) (= (f x) (/ 1 x)))"], "(neq (f 0) 0)", F),
    D("condition does not hold", ["(ALL (x) (--> (neq x 0) (= (f x) (/ 6 x))))"], "(= (f 0) 0)", F),
    D("condition is not known", ["(ALL (x) (--> (< 0 x) (= (f x) x)))"], "(= (f y) y)", F),
    D("definition of another function", ["(ALL (x) (= (f x) (+ x 2)))"], "(= (g 1) 3)", F),
    D("wrong place", ["(ALL (x) (= (f x) (+ x 2)))", "(= (f y) 5)"], "(= y 4)", F),
    D("recursion without a start", ["(ALL (n) (= (s (+ n 1)) (* 2 (s n))))"], "(= (s 3) 8)", F),
    D("recursion begins later", ["(ALL (n) (= (s (+ n 2)) (s (+ n 1))))", "(= (s 0) 1)"], "(= (s 3) 1)", F),
    D("recursion under a condition", ["(ALL (n) (--> (< 1 n) (= (s n) (s (- n 1)))))", "(= (s 3) 1)"], "(= (s 0) 1)", F),
    D("recursion with subtraction", ["(ALL (n) (= (u n) (- n 3)))"], "(= (+ (u 2) 1) 0)", F),
    D("subtraction in a definition", ["(ALL (n) (= (u n) (- n 3)))"], "(= (+ (u m) 3) m)", F),
    D("subtraction in a value", ["(= n (- 2 3))"], "(= (+ n 1) 0)", N),
    D("converted subtraction in a value", ["(= n (- 2 3))"], "(= (of_nat n) (neg (+ 1 (- x x))))", F),
    D("root of a negative number", [], "(= (^ (sqrt (neg 4)) 2) (neg 4))", F),
    D("root of a negative number is positive", [], "(<= 0 (sqrt (neg 2)))", F),
    D("root of an unknown number", ["(= x (sqrt y))"], "(= (^ x 2) y)", F),
    D("root of a square is the number", ["(= x (sqrt (^ y 2)))"], "(= x y)", F),
    D("mean without a premise", [], "(<= 2 (+ x (/ 1 x)))", F),
    D("same name twice", [], "(ALL (x) (ALL (z) (= (+ x (- y y)) z)))", F),
    D("two variables of one name", ["(= x 1)"], "(ALL (x) (= x 1))", F),
    D("premise of a goal is not given", ["(--> (= x 1) (= y 2))"], "(= y 2)", F),
    D("one of two", ["(| (= x 1) (= x 2))"], "(= x 1)", F),
    D("some value", ["(EX (x) (= x 3))"], "(= x 3)", F),
    D("integers are not reals", ["(< 0 x)"], "(<= 1 x)", F),
    D("quotient of naturals", ["(= n (/ 7 2))"], "(= (* 2 n) 7)", N),
    D("quotient of negative integers", ["(= x (/ (neg 7) 2))"], "(= x (neg 3))", Z),
    D("remainder of a negative integer", ["(= x (mod (neg 7) 2))"], "(= x (neg 1))", Z),
    D("power of a variable", ["(= n 3)"], "(= (^ 2 n) (+ 9 (- x x)))", F),
    D("square is larger", [], "(<= x (^ x 2))", F),
    D("product of inequalities", ["(<= x y)", "(<= z i)"], "(<= (* x z) (* y i))", {**F, "i": "real"}),
    D("quotients of inequalities", ["(<= x y)"], "(<= (/ 1 y) (/ 1 x))", F),
]  # fmt: skip

BY_RESIDUES = [
    D("square by four", [], "(| (= (mod (^ x 2) 4) 0) (= (mod (^ x 2) 4) 1))", Z),
    D("known remainders", ["(= (mod x 19) 4)", "(= (mod y 19) 7)"],
      "(= (mod (* (^ (+ x 1) 2) (^ (+ y 5) 3)) 19) 13)", N),
    D("cube and double", [], "(dvd 3 (+ (^ x 3) (* 2 x)))", N),
    D("odd power", [], "(dvd 3 (+ (^ (Suc 1) (+ (* 2 n) 1)) 1))", N),
    D("power and one", [], "(~ (dvd 7 (+ (^ (Suc 1) n) 1)))", N),
    D("product of three", [], "(dvd 6 (* x (* (+ x 1) (+ x 2))))", Z),
    D("congruence", ["(cong x 3 5)"], "(cong (^ x 2) 4 5)", Z),
    D("fourth power of an odd number", ["(= (mod x 2) 1)"], "(= (mod (^ x 4) 16) 1)", Z),
    D("converted", ["(= (mod n 3) 2)"], "(= (mod (* (of_nat n) (of_nat n)) 3) (mod (+ 1 (- x x)) 3))", Z),
]  # fmt: skip

FALSE_RESIDUES = [
    D("square by five", [], "(| (= (mod (^ x 2) 5) 0) (= (mod (^ x 2) 5) 1))", Z),
    D("wrong remainder", ["(= (mod x 19) 4)"], "(= (mod (^ x 2) 19) 15)", N),
    D("subtraction of naturals by three", ["(= (mod x 3) 0)"], "(= (mod (- x 1) 3) 2)", N),
    D("quotient by three", ["(= (mod x 6) 3)"], "(= (mod (/ x 3) 6) 1)", N),
    D("smaller modulus is known", ["(= (mod x 3) 1)"], "(= (mod x 6) 1)", N),
    D("power at its beginning", [], "(= (mod (^ (Suc 1) n) 4) 0)", N),
    D("second power of two", [], "(dvd 4 (* 2 (^ (Suc 1) n)))", N),
    D("late beginning", [], "(dvd 64 (^ (Suc 1) (+ n 5)))", N),
    D("power with a period of three", [], "(= (mod (^ (Suc 1) n) 7) 1)", N),
    D("two exponents", [], "(= (mod (+ (^ (Suc 1) n) (^ (Suc 1) m)) 3) 2)", N),
    D("power of a power", [], "(= (mod (^ (Suc 1) (* n n)) 3) 1)", N),
    D("congruence by zero", [], "(cong x y 0)", Z),
    D("congruence by one less", ["(cong x y 6)"], "(cong x y 4)", Z),
    D("congruence is equality", ["(cong x y 6)"], "(= x y)", Z),
    D("congruent quotients", ["(cong (* 2 x) (* 2 y) 6)"], "(cong x y 6)", Z),
    D("the number itself", ["(= (mod x 7) 3)"], "(= x 3)", N),
    D("variable modulus", [], "(= (mod x y) 0)", N),
    D("remainder of a negative number", [], "(= (mod (neg x) 3) (mod x 3))", Z),
    D("divides by a variable", [], "(dvd x (^ x n))", N),
    D("zero to the zero", [], "(= (mod (^ x n) 5) (mod (* x (^ x n)) 5))", N),
    D("least", [], "(= (LEAST (x) (= (mod (* 30 x) 47) 42)) 40)", {}),
    D("least of none", [], "(= (LEAST (x) (< x (+ 0 zero))) (Suc 0))", {}),
    D("divisors", [], "(= (card (COLLECT (x) (& (dvd x 12) (neq x (Suc 11))))) 6)", {}),
    D("divisors of zero", [], "(= (card (COLLECT (x) (dvd x (- 1 (Suc 0))))) 1)", {}),
    D("square of i", [], "(= (* ii ii) (+ 1 (- x x)))", C),
    D("cube of i", [], "(= (^ ii 3) (+ ii (- x x)))", C),
    D("fourth power of i", [], "(= (^ ii 4) (+ (neg 1) (- x x)))", C),
]  # fmt: skip

BY_CERTIFICATES = [
    D("two squares", [], "(<= (* 2 (* x y)) (+ (^ x 2) (^ y 2)))", R),
    D("square of another sum", [], "(<= (* (* 4 x) (+ y 1)) (+ (* 4 (^ x 2)) (^ (+ y 1) 2)))", R),
    D("sum of squares and one", [], "(<= 1 (+ (^ (- (* x y) 1) 2) (^ (+ x y) 2)))", R),
    D("three squares", [], "(<= (+ (* x y) (+ (* y z) (* z x))) (+ (^ x 2) (+ (^ y 2) (^ z 2))))", R),
    D("product of two", ["(<= 1 x)", "(<= 1 y)"], "(<= (+ x y) (+ 1 (* x y)))", R),
    D("squares of quotients", ["(< 0 x)", "(< 0 y)", "(< 0 z)"],
      "(<= (* 2 (/ x z)) (+ (^ (/ x y) 2) (^ (/ y z) 2)))", R),
    D("third powers", ["(< 0 x)", "(< 0 y)"], "(<= (+ (* (^ x 2) y) (* x (^ y 2))) (+ (^ x 3) (^ y 3)))", R),
    D("integers", [], "(<= (* 2 (* x y)) (+ (^ x 2) (^ y 2)))", Z),
]  # fmt: skip

FALSE_CERTIFICATES = [
    D("too many squares", [], "(<= (* 3 (* x y)) (+ (^ x 2) (^ y 2)))", R),
    D("strictly", [], "(< (* 2 (* x y)) (+ (^ x 2) (^ y 2)))", R),
    D("product of unknown signs", ["(<= x y)"], "(<= (* x z) (* y z))", R),
    D("product of upper bounds", ["(<= x 2)", "(<= y 3)"], "(<= (* x y) 6)", R),
    D("positive product", ["(< 0 (* x y))"], "(< 0 x)", R),
    D("quotients of any numbers", [], "(<= 2 (+ (/ x y) (/ y x)))", R),
    D("quotients of numbers other than 0", ["(neq x 0)", "(neq y 0)"], "(<= 2 (+ (/ x y) (/ y x)))", R),
    D("third powers of any numbers", [], "(<= (+ (* (^ x 2) y) (* x (^ y 2))) (+ (^ x 3) (^ y 3)))", R),
    D("one of the factors", ["(<= 1 x)"], "(<= (+ x y) (+ 1 (* x y)))", R),
    D("squares of naturals that are subtracted", [], "(<= (* 2 (* x y)) (+ (- (^ x 2) 1) (^ y 2)))", N),
    D("strict from two that are not", ["(<= 0 x)", "(<= 0 y)"], "(< 0 (* x y))", R),
    D("strict from one", ["(< 0 x)", "(<= 0 y)"], "(< 0 (* x y))", R),
    D("quotient is smaller", ["(< 0 y)"], "(<= (/ x y) x)", R),
    D("quotient of integers is exact", ["(< 0 y)"], "(<= x (* y (/ x y)))", Z),
    D("power is larger", ["(<= 0 x)"], "(<= x (^ x 2))", R),
]  # fmt: skip

BY_VALUES = [
    D("linear equations", ["(= (+ x y) 7)", "(= (+ (* 3 x) y) 45)"], "(= (- (^ x 2) (^ y 2)) 217)", R),
    D("linear equations of integers", ["(= (+ x y) 7)", "(= (- x y) 1)"], "(= (* x y) 12)", Z),
    D("between bounds", ["(= (mod (* 14 n) 100) 46)", "(< n 50)"], "(= (* n n) 1521)", N),
    D("above a bound", ["(= (mod (* 14 n) 100) 46)", "(< n 100)", "(< 50 n)"], "(= n 89)", N),
    D("two of them", ["(< x 5)", "(< y 4)", "(= (* x y) 12)"], "(= (+ x y) 7)", N),
    D("several values", ["(<= (neg 4) x)", "(<= x 4)", "(= (* x x) 16)"], "(| (= x 4) (= x (neg 4)))", Z),
]  # fmt: skip

FALSE_VALUES = [
    D("one equation", ["(= (+ x y) 7)"], "(= x 3)", R),
    D("the same equation twice", ["(= (+ x y) 7)", "(= (+ (* 2 x) (* 2 y)) 14)"], "(= x 3)", R),
    D("subtraction of naturals", ["(= (+ x y) 8)", "(= (- x y) 0)"], "(= x 4)", N),
    D("quotient of integers", ["(= (/ x 2) 3)"], "(= x 6)", Z),
    D("no lower bound", ["(<= x 4)", "(= (* x x) 16)"], "(= x 4)", Z),
    D("one of two values", ["(<= (neg 4) x)", "(<= x 4)", "(= (* x x) 16)"], "(= x 4)", Z),
    D("the bound itself", ["(<= n 5)"], "(< n 5)", N),
    D("strict bound", ["(< n 5)"], "(< n 4)", N),
    D("below zero", ["(< x 3)", "(< (neg 3) x)"], "(<= 0 x)", Z),
    D("bound of a real number", ["(< 0 x)", "(< x 2)"], "(= x 1)", R),
    D("bound of another variable", ["(< x 5)", "(< 3 y)"], "(= y 4)", N),
    D("bound by a variable", ["(< x y)", "(< 3 x)", "(<= x 4)"], "(= y 5)", N),
]  # fmt: skip
