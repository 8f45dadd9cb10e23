theory Subclasses imports Main
begin

class small_order = order + fixes least :: 'a assumes least: "least \<le> x"
class big_order = small_order + fixes greatest :: 'a assumes greatest: "x \<le> greatest"

lemma (in big_order) "least \<le> greatest" sorry
lemma "(least :: 'b :: big_order) \<le> x" sorry

end
