(* The loops of the recursive algorithms, as they are run, and what they compute.

   The bodies of a tree are 1, …, n and the root is 0, as in Featherstone's book. Body i of this file is body i − 1 of the code,
   where the root is −1. An array is a function of the body's number. *)

From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Definition write V (x : nat -> V) i y := fun j => if j == i then y else x j.

Section Loops.
Variables (n : nat) (parent : nat -> nat).

(* for i in 1, …, n:  x[i] = step(i, x[parent(i)]) *)
Definition outward V (root : V) (step : nat -> V -> V) : nat -> V :=
  foldl (fun x i => write x i (step i (x (parent i)))) (fun=> root) (iota 1 n).

(* for i in n, …, 1:  if parent(i) is not the root:  x[parent(i)] = x[parent(i)] + give(i, x[i])
   The array as the iteration of body i finds it, after those of n, …, i + 1: *)
Definition before (V : zmodType) (x : nat -> V) (give : nat -> V -> V) i : nat -> V :=
  foldr (fun j x => if parent j == 0%N then x else write x (parent j) (x (parent j) + give j (x j))) x (iota i.+1 (n - i)).

(* x[i] as the iteration of body i reads it. *)
Definition inward (V : zmodType) (x : nat -> V) (give : nat -> V -> V) i : V := before x give i i.

Hypothesis parents_first : forall i, (0 < i <= n)%N -> (parent i < i)%N.

Lemma parent_le i : (0 < i <= n)%N -> (parent i <= n)%N.
Proof. by move=> bounds; have [_] := andP bounds; apply/leq_trans/ltnW/parents_first. Qed.

(* Induction over a tree, from the root and from the leaves. *)
Lemma root_first (P : nat -> Prop) :
  P 0%N -> (forall i, (0 < i <= n)%N -> P (parent i) -> P i) -> forall i, (i <= n)%N -> P i.
Proof.
move=> root step i; elim/ltn_ind: i => -[//|i] IH i_le; apply: step => //.
have par_lt := parents_first (i := i.+1) i_le.
by apply: IH => //; exact: leq_trans (ltnW par_lt) i_le.
Qed.

Lemma leaves_first (P : nat -> Prop) :
  (forall i, (0 < i <= n)%N -> (forall c, (0 < c <= n)%N -> parent c = i -> P c) -> P i) ->
  forall i, (0 < i <= n)%N -> P i.
Proof.
move=> step i; move: {2}(n - i)%N (leqnn (n - i)) => k; elim: k i => [|k IH] i k_ge bounds; apply: step => // c c_bounds par.
  have := parents_first c_bounds; rewrite par; case/andP: c_bounds => _ c_le i_lt.
  by move: k_ge; rewrite leqn0 subn_eq0 => n_le; rewrite ltnNge (leq_trans c_le n_le) in i_lt.
apply: IH => //; have := parents_first c_bounds; rewrite par => i_lt.
case/andP: c_bounds => _ c_le; rewrite -ltnS; apply: leq_trans k_ge.
by rewrite ltn_sub2l // (leq_trans i_lt).
Qed.

Lemma iota_last m : iota 1 m.+1 = rcons (iota 1 m) m.+1.
Proof. by rewrite -[X in iota _ X]addn1 iotaD cats1 add1n. Qed.

Lemma outward0 V (root : V) step : outward root step 0%N = root.
Proof. by rewrite /outward; elim: n => // m IH; rewrite iota_last foldl_rcons. Qed.

Lemma outwardE V (root : V) step i : (0 < i <= n)%N -> outward root step i = step i (outward root step (parent i)).
Proof.
rewrite /outward; elim: n parents_first => [|m IH] first; first by case: i.
rewrite iota_last foldl_rcons /write => bounds; case/andP: (bounds) => i_pos i_le.
have -> : (parent i == m.+1) = false by apply/ltn_eqF/(leq_trans (first i bounds)).
case: eqP => [-> // | /eqP i_neq]; apply: IH => [j /andP [j_pos j_le] |].
  by apply: first; rewrite j_pos leqW.
by rewrite i_pos -ltnS ltn_neqAle i_neq.
Qed.

Lemma before_sum (V : zmodType) (x : nat -> V) give i j : (i <= n)%N -> (0 < j <= i)%N ->
  before x give i j = x j + \sum_(i.+1 <= c < n.+1 | parent c == j) give c (inward x give c).
Proof.
move=> i_le; have [k n_eq] : exists k, n = (i + k)%N by exists (n - i)%N; rewrite subnKC.
elim: k i j i_le n_eq => [|k IH] i j i_le n_eq /andP [j_pos j_le].
  by rewrite /before n_eq addn0 subnn big_geq // addr0.
have i_lt : (i < n)%N by rewrite n_eq addnS ltnS leq_addr.
have {}IH := IH i.+1 j i_lt; rewrite addSnnS in IH; have {}IH := IH n_eq.
have step : before x give i = (fun x => if parent i.+1 == 0%N then x else
    write x (parent i.+1) (x (parent i.+1) + give i.+1 (x i.+1))) (before x give i.+1).
  by rewrite /before -[(n - i)%N]prednK ?subn_gt0 // subnS.
rewrite step big_ltn_cond // /write {}/step.
have -> : before x give i.+1 i.+1 = inward x give i.+1 by [].
case: (parent i.+1 =P 0%N) => [-> | _]; first by rewrite IH ?j_pos ?leqW // ltn_eqF.
by rewrite eq_sym; case: eqP => [-> | _]; rewrite IH ?j_pos ?leqW // -addrA [X in _ + X]addrC.
Qed.

Lemma inwardE (V : zmodType) (x : nat -> V) give i : (0 < i <= n)%N ->
  inward x give i = x i + \sum_(1 <= c < n.+1 | parent c == i) give c (inward x give c).
Proof.
move=> bounds; have /andP [i_pos i_le] := bounds.
rewrite /inward before_sum ?i_pos ?leqnn //; congr (_ + _).
rewrite (@big_cat_nat _ _ _ i.+1 1) ?ltnS //= [X in _ = X + _]big1_seq ?add0r // => c.
rewrite mem_index_iota => /and3P [/eqP par c_pos c_le]; have := parents_first (i := c).
by rewrite par c_pos (leq_trans _ i_le) // ltnNge -ltnS c_le => /(_ isT).
Qed.

Lemma sum_at (V : zmodType) (y : nat -> V) m : (0 < m < n.+1)%N -> \sum_(1 <= i < n.+1 | m == i) y i = y m.
Proof.
move=> bounds; rewrite big_mkcond (bigD1_seq m) ?iota_uniq ?mem_index_iota //= eqxx.
by rewrite big1 ?addr0 // => i; rewrite eq_sym => /negPf ->.
Qed.

(* Summation by parts: a sum over all bodies of what was there before the loop, from what each body reads and gives. *)
Lemma by_parts (V U : zmodType) (p : nat -> V -> U) (x : nat -> V) give :
  (forall i, additive (p i)) -> (forall y, p 0%N y = 0) ->
  \sum_(1 <= i < n.+1) p i (x i) =
  \sum_(1 <= i < n.+1) (p i (inward x give i) - p (parent i) (give i (inward x give i))).
Proof.
move=> linear_p root; rewrite sumrB.
have pD i : {morph p i : y z / y + z} := raddfD (Additive (linear_p i)).
have p0 i : p i 0 = 0 := raddf0 (Additive (linear_p i)).
rewrite [X in X - _](@eq_big_nat _ _ _ 1 n.+1 _ (fun i => p i (x i) +
  \sum_(1 <= c < n.+1 | parent c == i) p i (give c (inward x give c)))); last first.
  by move=> i bounds; rewrite inwardE // pD (big_morph _ (pD i) (p0 i)).
rewrite big_split /= -addrA.
have -> : \sum_(1 <= i < n.+1) \sum_(1 <= c < n.+1 | parent c == i) p i (give c (inward x give c)) =
    \sum_(1 <= c < n.+1) p (parent c) (give c (inward x give c)).
  rewrite (exchange_big_dep_nat predT) //=; apply: eq_big_nat => c bounds.
  have [par0 | par_pos] := posnP (parent c).
    by rewrite par0 root big1_seq // => i /andP [/eqP <-]; rewrite mem_index_iota.
  by rewrite sum_at // par_pos (leq_trans (parents_first bounds)) // ltnW; case/andP: bounds.
by rewrite subrr addr0.
Qed.
End Loops.
