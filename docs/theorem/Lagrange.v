(* The Euler–Lagrange expression of one body is a trace of 4×4 matrices. The Lagrangian of a mechanism is the sum over its bodies.

   Numbers are expressions in q, q̇ and t: any commutative ring with three additive maps that satisfy the product rule, d/dt, ∂/∂q and
   ∂/∂q̇ for one coordinate. This is about coordinates whose rates are the velocities. *)

From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Lagrange.
Variable K : comRingType.

Definition derivation (δ : {additive K -> K}) := forall x y, δ (x * y) = δ x * y + x * δ y.

Section Matrices.
Variables (δ : {additive K -> K}).
Hypothesis leibniz : derivation δ.

Lemma map_mulmx p q t (M : 'M[K]_(p, q)) (N : 'M[K]_(q, t)) :
  map_mx δ (M *m N) = map_mx δ M *m N + M *m map_mx δ N.
Proof.
apply/matrixP => i j; rewrite !mxE raddf_sum -big_split /=; apply: eq_bigr => l _.
by rewrite leibniz !mxE.
Qed.
Lemma map_trace p (M : 'M[K]_p) : δ (\tr M) = \tr (map_mx δ M).
Proof. by rewrite /mxtrace raddf_sum; apply: eq_bigr => i _; rewrite mxE. Qed.
End Matrices.

(* d/dt, ∂/∂q and ∂/∂q̇. *)
Variables ddt dq dqd : {additive K -> K}.
Hypotheses (leibniz_t : derivation ddt) (leibniz_q : derivation dq) (leibniz_qd : derivation dqd).

(* The pose, the inertia and gravity. *)
Variables (p : nat) (T J ghat : 'M[K]_p).
Local Notation T' := (map_mx ddt T).
Hypothesis symmetric : J^T = J.
Hypotheses (J_t : map_mx ddt J = 0) (J_q : map_mx dq J = 0) (J_qd : map_mx dqd J = 0).
Hypotheses (g_q : map_mx dq ghat = 0) (g_qd : map_mx dqd ghat = 0).
(* The pose depends on positions only, so Ṫ is linear in q̇ with the coefficient ∂T/∂q, and the derivatives commute. *)
Hypothesis T_qd : map_mx dqd T = 0.
Hypothesis T'_qd : map_mx dqd T' = map_mx dq T.
Hypothesis exchange : map_mx ddt (map_mx dq T) = map_mx dq T'.

(* Twice the Lagrangian, so that no number is divided by two: tr(Ṫ J Ṫᵀ) + 2 tr(T J ĝᵀ). *)
Definition L2 := \tr (T' *m J *m T'^T) + \tr (T *m J *m ghat^T) *+ 2.

Lemma trace_swap (M N : 'M[K]_p) : \tr (M *m J *m N^T) = \tr (N *m J *m M^T).
Proof. by rewrite -mxtrace_tr !trmx_mul trmxK symmetric mulmxA. Qed.

(* d/dt ∂L/∂q̇ − ∂L/∂q = tr(∂T/∂q J (T̈ − ĝ)ᵀ), twice. *)
Theorem lagrange : ddt (dqd L2) - dq L2 = \tr (map_mx dq T *m J *m (map_mx ddt T' - ghat)^T) *+ 2.
Proof.
have momentum : dqd L2 = \tr (map_mx dq T *m J *m T'^T) *+ 2.
  rewrite /L2 raddfD raddfMn /= !(map_trace, map_mulmx) // J_qd T_qd -!map_trmx T'_qd g_qd.
  rewrite trmx0 !(mulmx0, mul0mx, addr0, linear0) mul0rn addr0 mxtraceD.
  by rewrite [X in _ + X]trace_swap mulr2n.
have slope : dq L2 = (\tr (map_mx dq T' *m J *m T'^T) + \tr (map_mx dq T *m J *m ghat^T)) *+ 2.
  rewrite /L2 raddfD raddfMn /= !(map_trace, map_mulmx) // J_q -!map_trmx g_q.
  rewrite trmx0 !(mulmx0, mul0mx, addr0, linear0) mxtraceD [X in _ + X + _]trace_swap -mulr2n.
  by rewrite mulrnDl.
rewrite momentum slope raddfMn /= map_trace !map_mulmx // J_t -map_trmx exchange mulmx0 addr0 mxtraceD -mulrnBl.
by rewrite linearB /= mulmxBr linearB /= opprD addrACA subrr add0r.
Qed.
End Lagrange.
