(* The hypotheses of the theorems can be satisfied: every tree of revolute joints about z satisfies them, and its
   joint forces are the sum of traces.

   c and s stand for the cosine and sine of the joint's angle. Over any ring, they are two numbers with c² + s² = 1, whose rates
   are −s q̇ and c q̇. So A', A'' and dA below are the derivatives of A, written down without lemma 1. *)

From mathcomp Require Import all_ssreflect all_algebra.
Require Import Ring SpatialAlgebra Loops EveryTree.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Revolute.
Variable R : comRingType.
Add Ring R_ring : (R_ring R).
Ltac polynomial :=
  try change (GRing.Ring.zmodType (GRing.ComRing.ringType R)) with (GRing.ComRing.zmodType R);
  apply: sum_with_zero; ring.

(* E is the rotation; E1 and E2 are its first and second derivative by the angle. *)
Definition revolute (c s : R) := mat c s 0 (- s) c 0 0 0 1.
Definition revolute1 (c s : R) := mat (- s) c 0 (- c) (- s) 0 0 0 0.
Definition revolute2 (c s : R) := mat (- c) (- s) 0 s (- c) 0 0 0 0.
Definition axis : 'cV[R]_(3 + 3) := col_mx (vec 0 0 1) 0.

(* The derivative of A, from that of E; r is constant. *)
Definition pose_rate (M : 'M[R]_3) : 'M[R]_(3 + 1) := block_mx M^T 0 0 0.

Lemma revolute_rotation c s : c * c + s * s = 1 -> rotation (revolute c s).
Proof.
move=> circle; split; last by rewrite mat_det; transitivity (c * c + s * s); [polynomial | ].
rewrite /revolute !byEntries; congr mat; first [by polynomial | by transitivity (c * c + s * s); [polynomial | ]].
Qed.

Lemma revolute_velocity c s r (w : R) :
  pose_rate (w *: revolute1 c s) = pose (revolute c s) r *m bracket (w *: axis).
Proof.
rewrite linearZ /= -scalemxAr bracketE /pose mulmx_block !(mul0mx, mulmx0, addr0).
rewrite /pose_rate linearZ /= scale_block_mx !scaler0; congr (block_mx (_ *: _) _ _ _).
by rewrite /revolute /revolute1 !byEntries; congr mat; polynomial.
Qed.

Lemma revolute_acceleration c s r (w w' : R) :
  pose_rate (w' *: revolute1 c s + (w * w) *: revolute2 c s) =
  pose (revolute c s) r *m (bracket (w' *: axis) + bracket (w *: axis) *m bracket (w *: axis)).
Proof.
have rateD M N : pose_rate (M + N) = pose_rate M + pose_rate N.
  by rewrite /pose_rate add_block_mx linearD !addr0.
rewrite rateD (revolute_velocity _ _ r) mulmxDr; congr (_ + _).
have -> : bracket (w *: axis) *m bracket (w *: axis) = (w * w) *: (bracket axis *m bracket axis).
  by rewrite linearZ /= -scalemxAl -scalemxAr scalerA.
rewrite -scalemxAr /axis bracketE /pose !mulmx_block !(mul0mx, mulmx0, addr0).
rewrite /pose_rate linearZ /= scale_block_mx !scaler0; congr (block_mx (_ *: _) _ _ _).
by rewrite /revolute /revolute2 !byEntries; congr mat; polynomial.
Qed.
End Revolute.

Section Tree.
Variables (R : comUnitRingType) (n : nat) (parent : nat -> nat) (c s : nat -> R) (r : nat -> 'cV[R]_3).
Variables (Σ : nat -> 'M[R]_3) (h : nat -> 'cV[R]_3) (m : nat -> R) (g : 'cV[R]_3) (ω α : nat -> R).
Hypothesis parents_first : forall i, (0 < i <= n)%N -> (parent i < i)%N.
Hypothesis circle : forall i, c i * c i + s i * s i = 1.
Hypothesis symmetric : forall i, (Σ i)^T = Σ i.

Let nv (i : nat) := 1%N.
Let E i := revolute (c i) (s i).
Let S i : 'M[R]_(3 + 3, nv i) := axis R.
Let qd i : 'cV[R]_(nv i) := (ω i)%:M.
Let qdd i : 'cV[R]_(nv i) := (α i)%:M.
Let dA i (k : 'I_(nv i)) := pose_rate (revolute1 (c i) (s i)).
Let A' i := pose_rate (ω i *: revolute1 (c i) (s i)).
Let A'' i := pose_rate (α i *: revolute1 (c i) (s i) + (ω i * ω i) *: revolute2 (c i) (s i)).
Let τ := rnea n parent E r S Σ h m (fun i => 0 : 'rV_(nv i)) (fun i => 0 : 'rV_(nv i)) (fun=> 0) g qd (fun=> 0) qdd.

(* RNEA is the Euler–Lagrange expression of every tree of revolute joints about z. *)
Theorem every_revolute_tree i (k : 'I_(nv i)) : (0 < i <= n)%N ->
  τ i k 0 = \sum_(1 <= j < n.+1) \tr (dT n parent E r dA k j *m pseudo_inertia (Σ j) (h j) (m j) *m
    (T'' n parent E r A' A'' j - bracket (col_mx 0 g))^T).
Proof.
have rotations j : rotation (E j) by exact: revolute_rotation (circle j).
have axis_rate j (w : R) : S j *m (w%:M : 'cV_(nv j)) = w *: axis R by exact: mul_mx_scalar.
have L1_derivative j (l : 'I_(nv j)) : dA l = pose (E j) (r j) *m bracket (col l (S j)).
  by rewrite /dA -[revolute1 _ _]scale1r (revolute_velocity _ _ (r j)) scale1r ord1 col_id.
have L1_velocity j : A' j = pose (E j) (r j) *m bracket (S j *m qd j).
  by rewrite axis_rate; exact: revolute_velocity.
have L1_acceleration j : A'' j = pose (E j) (r j) *m
    (bracket (S j *m qdd j + 0) + bracket (S j *m qd j) *m bracket (S j *m qd j)).
  by rewrite !axis_rate addr0; exact: revolute_acceleration.
move=> bounds; rewrite /τ.
rewrite (inverse_dynamics parents_first h m _ _ _ g rotations symmetric L1_derivative k L1_velocity L1_acceleration bounds).
by rewrite !mxE !mul0r !addr0; apply: eq_bigr => j _; rewrite dot0r subr0.
Qed.
End Tree.
