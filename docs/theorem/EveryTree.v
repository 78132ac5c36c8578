(* The theorems of every tree: what the loops of RNEA, CRBA and ABA compute, for every tree and every number of bodies.

   The hypotheses are the tree (a parent has a smaller number than its children), rotations with E Eᵀ = 1 and det E = 1, symmetric
   inertias, and lemma 1 for every joint: L1_derivative, L1_velocity and L1_acceleration. README.md says what this means and what is not proven. *)

From mathcomp Require Import all_ssreflect all_algebra.
Require Import SpatialAlgebra Loops.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section EveryTree.
Variable R : comUnitRingType.
Local Notation motion := 'cV[R]_(3 + 3).
Local Notation force := 'cV[R]_(3 + 3).

(* ---- A mechanism and its state ---- *)

(* The tree: bodies 1, …, n, and the root 0. *)
Variables (n : nat) (parent : nat -> nat).
Hypothesis parents_first : forall i, (0 < i <= n)%N -> (parent i < i)%N.

(* Body i: E and r lead from its parent's frame to its own. Its joint has nv coordinates and the motion subspace S. Its mass is m,
   and h = m c, Σ = ∫ x xᵀ dm. External forces fx are in the frames of the bodies. g is the acceleration of free fall. *)
Variables (E : nat -> 'M[R]_3) (r : nat -> 'cV[R]_3) (nv : nat -> nat) (S : forall i, 'M[R]_(3 + 3, nv i)).
Variables (Σ : nat -> 'M[R]_3) (h : nat -> 'cV[R]_3) (m : nat -> R).
Variables (armature damping : forall i, 'rV[R]_(nv i)) (fx : nat -> force) (g : 'cV[R]_3).
Hypothesis rotations : forall i, rotation (E i).
Hypothesis symmetric : forall i, (Σ i)^T = Σ i.

(* Its velocity, and c_J, the rate of S times q̇. *)
Variables (qd : forall i, 'cV[R]_(nv i)) (cJ : nat -> motion).

Local Notation X i := (plucker (E i) (r i)).
Local Notation I i := (spatial_inertia (Σ i) (h i) (m i)).
Local Notation vJ i := (S i *m qd i).
Local Notation a_g := (col_mx 0 g : motion).

(* ---- The reference ---- *)

(* rnea.py and aba.py: v_i = X_i v_λ(i) + S_i q̇_i, and c_i = c_J + v_i × v_J. *)
Definition v := outward n parent 0 (fun i v => X i *m v + vJ i).
Definition c i := cJ i + crm (v i) *m vJ i.

(* rnea.py: the accelerations of the first loop, the forces of the second, and τ, which the second loop reads from them. *)
Definition a qdd := outward n parent (- a_g) (fun i a => X i *m a + S i *m qdd i + c i).
Definition f qdd := inward n parent
  (fun i => I i *m a qdd i + crf (v i) *m (I i *m v i) - fx i) (fun i f => (X i)^T *m f).
Definition rnea qdd i : 'cV[R]_(nv i) :=
  (S i)^T *m f qdd i + diag_mx (armature i) *m qdd i + diag_mx (damping i) *m qd i.

(* ---- The oracle ---- *)

(* The derivatives of A_i: by its own coordinate k, by time, and by time twice. *)
Variables (dA : forall i, 'I_(nv i) -> 'M[R]_(3 + 1)) (A' A'' : nat -> 'M[R]_(3 + 1)).
Local Notation A i := (pose (E i) (r i)).
Local Notation J i := (pseudo_inertia (Σ i) (h i) (m i)).
Local Notation ghat := (bracket a_g).

(* T_i = T_λ(i) A_i. Its derivatives by time, and by coordinate k of joint i, follow from the product rule; A_j depends on the
   coordinates of its own joint only. *)
Definition T := outward n parent 1%:M (fun i T => T *m A i).
Definition T' := outward n parent 0 (fun i T' => T' *m A i + T (parent i) *m A' i).
Definition T'' := outward n parent 0 (fun i T'' => T'' *m A i + (T' (parent i) *m A' i) *+ 2 + T (parent i) *m A'' i).
Definition dT i (k : 'I_(nv i)) := outward n parent 0
  (fun j dT => dT *m A j + T (parent j) *m (if j == i then dA k else 0)).

Lemma TE i : (0 < i <= n)%N -> T i = T (parent i) *m A i.
Proof. exact: outwardE. Qed.

Lemma T_pose j : (j <= n)%N -> exists2 E, rotation E & exists r, T j = pose E r.
Proof.
apply: (root_first parents_first (P := fun j => exists2 E, rotation E & exists r, T j = pose E r)).
  by exists 1%:M; [exact: rotation1 | exists 0; rewrite /T outward0 pose1].
move=> {}j bounds [E0 rot [r0 T_eq]]; exists (E j *m E0); first exact: rotationM.
by rewrite TE // T_eq poseM; eexists.
Qed.

(* The sums of products that the second derivative has on both sides. *)
Lemma terms (V : zmodType) (w x y z t u : V) :
  x + y + (z + z) + (t + u) = x + t + (z + u - (w + u)) + (y + z + (w + u)).
Proof. by rewrite opprD !addrA [RHS](ACl (1*7*3*8*2*10*(4*6)*(9*5))) /= !subrr !addr0. Qed.

Section FirstLoop.
Variable qdd : forall i, 'cV[R]_(nv i).

Hypothesis L1_velocity : forall i, A' i = A i *m bracket (vJ i).
Hypothesis L1_acceleration : forall i,
  A'' i = A i *m (bracket (S i *m qdd i + cJ i) + bracket (vJ i) *m bracket (vJ i)).

(* The first loop: v and a are the body's velocity and acceleration, T⁻¹ Ṫ = [v] and T⁻¹ (T̈ − ĝ) = [a] + [v]². *)
Theorem first_loop i : (i <= n)%N ->
  T' i = T i *m bracket (v i) /\
  T'' i - ghat = T i *m (bracket (a qdd i) + bracket (v i) *m bracket (v i)).
Proof.
apply: (root_first parents_first (P := fun i => _ /\ _)).
  by rewrite /T' /T'' /T /v /a !outward0 linear0 mulmx0 mul0mx addr0 mul1mx linearN sub0r.
move=> {}i bounds [vel acc].
have T_i := TE bounds.
have T'_i : T' i = T' (parent i) *m A i + T (parent i) *m A' i by rewrite /T' outwardE.
have T''_i : T'' i = T'' (parent i) *m A i + (T' (parent i) *m A' i) *+ 2 + T (parent i) *m A'' i by rewrite /T'' outwardE.
have v_i : v i = X i *m v (parent i) + vJ i by rewrite /v outwardE.
have a_i : a qdd i = X i *m a qdd (parent i) + S i *m qdd i + c i by rewrite /a outwardE.
have pass w : bracket w *m A i = A i *m bracket (X i *m w) by rewrite bracket_plucker.
have bracket_vi : bracket (v i) = bracket (X i *m v (parent i)) + bracket (vJ i) by rewrite v_i linearD.
split; first by rewrite T'_i T_i vel L1_velocity bracket_vi mulmxDr -(mulmxA (T _)) pass -!mulmxA.
have -> : T'' i - ghat = (T'' (parent i) - ghat) *m A i + (T' (parent i) *m A' i) *+ 2 + T (parent i) *m A'' i.
  by rewrite T''_i mulmxBl bracket_gravity [LHS]addrAC; congr (_ + _); rewrite addrAC.
have -> : bracket (a qdd i) = bracket (X i *m a qdd (parent i)) + bracket (S i *m qdd i + cJ i) +
    (bracket (X i *m v (parent i)) *m bracket (vJ i) + bracket (vJ i) *m bracket (vJ i) -
    (bracket (vJ i) *m bracket (X i *m v (parent i)) + bracket (vJ i) *m bracket (vJ i))).
  by rewrite a_i -mulmxDl -mulmxDr -bracket_vi -bracket_crm -!linearD /c !addrA.
have pass2 : (bracket (a qdd (parent i)) + bracket (v (parent i)) *m bracket (v (parent i))) *m A i =
    A i *m (bracket (X i *m a qdd (parent i)) + bracket (X i *m v (parent i)) *m bracket (X i *m v (parent i))).
  by rewrite mulmxDl -mulmxA !pass mulmxA pass -mulmxA mulmxDr.
have pass1 : T (parent i) *m bracket (v (parent i)) *m (A i *m bracket (vJ i)) =
    T i *m (bracket (X i *m v (parent i)) *m bracket (vJ i)).
  by rewrite T_i -!mulmxA [bracket (v (parent i)) *m _]mulmxA pass !mulmxA.
rewrite acc vel L1_velocity L1_acceleration bracket_vi -mulmxA pass2 pass1 !(mulmxA (T (parent i)) (A i)) -T_i.
by rewrite mulr2n -!mulmxDr; congr (_ *m _); rewrite !(mulmxDl, mulmxDr) (terms (bracket (vJ i) *m bracket (X i *m v (parent i)))).
Qed.
End FirstLoop.

(* ---- Transmission ---- *)

(* The column of the Jacobian of body j that belongs to coordinate k of joint i: its velocity if only this coordinate moves, with
   the rate one. *)
Definition column i (k : 'I_(nv i)) := outward n parent 0
  (fun j s => plucker (E j) (r j) *m s + (if j == i then col k (S i) else 0)).

Hypothesis L1_derivative : forall i (k : 'I_(nv i)), dA k = A i *m bracket (col k (S i)).

Lemma columnE i (k : 'I_(nv i)) j : (0 < j <= n)%N ->
  column k j = X j *m column k (parent j) + (if j == i then col k (S i) else 0).
Proof. exact: outwardE. Qed.

(* T_j⁻¹ ∂_k T_j is this column. *)
Lemma dT_column i (k : 'I_(nv i)) j : (j <= n)%N -> dT k j = T j *m bracket (column k j).
Proof.
apply: (root_first parents_first (P := fun j => _ = _)); first by rewrite /dT /column !outward0 linear0 mulmx0.
move=> {}j bounds IH.
have -> : dT k j = dT k (parent j) *m A j + T (parent j) *m (if j == i then dA k else 0) by rewrite /dT outwardE.
rewrite IH (TE bounds) (columnE k bounds) linearD mulmxDr -!mulmxA bracket_plucker //; congr (_ + _ *m _).
by case: eqP => [-> | _]; rewrite ?L1_derivative ?linear0 ?mulmx0.
Qed.

Lemma column_below i (k : 'I_(nv i)) j : (j <= n)%N -> (j < i)%N -> column k j = 0.
Proof.
apply: (root_first parents_first (P := fun j => _ -> _ = _)); first by rewrite /column outward0.
move=> {}j bounds IH j_lt; rewrite columnE // IH ?mulmx0 ?ltn_eqF ?addr0 //.
exact: ltn_trans (parents_first bounds) j_lt.
Qed.

Lemma column_at i (k : 'I_(nv i)) : (0 < i <= n)%N -> column k i = col k (S i).
Proof.
move=> bounds; have par_lt := parents_first bounds; rewrite columnE // eqxx column_below ?mulmx0 ?add0r //.
by case/andP: bounds => _; exact/leq_trans/ltnW.
Qed.

(* ---- The second loop of RNEA ---- *)

Lemma diagE p (d : 'rV[R]_p) (q : 'cV[R]_p) k : (diag_mx d *m q) k 0 = d 0 k * q k 0.
Proof. by rewrite mul_diag_mx mxE. Qed.

Lemma col_mulmx p q t (M : 'M[R]_(p, q)) (N : 'M[R]_(q, t)) k : col k (M *m N) = M *m col k N.
Proof. by rewrite !colE mulmxA. Qed.

(* What the second loop transmits to joint i is the power of the forces on all bodies along the columns of the Jacobian. *)
Lemma transmitted (x : nat -> force) i (k : 'I_(nv i)) : (0 < i <= n)%N ->
  dot (col k (S i)) (inward n parent x (fun i f => (X i)^T *m f) i) = \sum_(1 <= j < n.+1) dot (column k j) (x j).
Proof.
move=> bounds; rewrite (by_parts parents_first (p := fun j => dot (column k j)) x (fun i f => (X i)^T *m f)).
- rewrite -(sum_at (fun j => dot (col k (S i)) (inward n parent x (fun i f => (X i)^T *m f) j)) bounds) big_mkcond.
  apply: eq_big_nat => j j_bounds; rewrite dot_transpose (columnE k j_bounds) dotDl addrAC subrr add0r eq_sym.
  by case: eqP => _; rewrite ?dot0l.
- by move=> j y z; rewrite dotBr.
by move=> y; rewrite /column outward0 dot0l.
Qed.

(* RNEA computes the Euler–Lagrange expression Σ tr(∂_k T_j J_j (T̈_j − ĝ)ᵀ), with external forces, armature and damping. *)
Theorem inverse_dynamics qdd i (k : 'I_(nv i)) :
  (forall i, A' i = A i *m bracket (vJ i)) ->
  (forall i, A'' i = A i *m (bracket (S i *m qdd i + cJ i) + bracket (vJ i) *m bracket (vJ i))) ->
  (0 < i <= n)%N ->
  rnea qdd i k 0 =
    \sum_(1 <= j < n.+1) (\tr (dT k j *m J j *m (T'' j - ghat)^T) - dot (column k j) (fx j))
    + armature i 0 k * qdd i k 0 + damping i 0 k * qd i k 0.
Proof.
move=> L1_velocity L1_acceleration bounds; rewrite /rnea 2!mxE !diagE dot_col col_id transmitted //; congr (_ + _ + _).
apply: eq_big_nat => j /andP [j_pos j_le]; rewrite dotBr dT_column //.
have [_ ->] := first_loop L1_velocity L1_acceleration j_le.
by have [E0 rot [r0 ->]] := T_pose j_le; rewrite body_force.
Qed.

(* ---- CRBA ---- *)

(* crba.py: composite inertias. *)
Definition Ic := inward n parent (fun i => I i) (fun i Ic => (X i)^T *m Ic *m X i).

(* Row i of the column that the inner loop writes, from body j and F on; it stays zero if the loop does not come to body i. *)
Fixpoint climb steps j p (F : 'M[R]_(3 + 3, p)) i : 'M[R]_(nv i, p) :=
  if steps is steps'.+1 then
    if j == i then (S i)^T *m F
    else if parent j == 0%N then 0 else climb steps' (parent j) ((X j)^T *m F) i
  else 0.

(* The block of rows i and columns j. The code writes one triangle and its transpose, and the armature on the diagonal. *)
Definition crba i j : 'M[R]_(nv i, nv j) :=
  (if (i <= j)%N then climb j j (Ic j *m S j) i else (climb i i (Ic i *m S i) j)^T)
  + \matrix_(k, l) if (i == j) && (k == l :> nat) then armature i 0 k else 0.

Lemma climbE steps j p (F : 'M[R]_(3 + 3, p)) i (k : 'I_(nv i)) l :
  (j <= steps)%N -> (0 < j <= n)%N -> climb steps j F i k l = dot (column k j) (col l F).
Proof.
elim: steps j F => [|steps IH] j F j_le bounds; first by case: (j) j_le bounds.
rewrite /=; case: eqP => [j_eq | /eqP j_neq]; first by rewrite j_eq dot_col column_at // -j_eq.
rewrite columnE // (negPf j_neq) addr0 -dot_transpose -col_mulmx.
have par_lt := parents_first bounds.
have [-> | par_pos] := posnP (parent j); first by rewrite /column outward0 dot0l mxE.
by rewrite IH ?par_pos ?(parent_le parents_first) // -ltnS (leq_trans par_lt).
Qed.

(* The energy of two columns is in the composite inertia of the body that is further from the root. *)
Lemma composite i j (k : 'I_(nv i)) (l : 'I_(nv j)) : (0 < i <= j)%N -> (j <= n)%N ->
  \sum_(1 <= b < n.+1) dot (column k b) (I b *m column l b) = dot (column k j) (Ic j *m col l (S j)).
Proof.
move=> i_bounds j_le; have [i_pos i_le] := andP i_bounds; have j_bounds : (0 < j <= n)%N by rewrite j_le (leq_trans i_pos).
rewrite (by_parts parents_first (p := fun b Y => dot (column k b) (Y *m column l b)) _ (fun i Ic => (X i)^T *m Ic *m X i)).
- rewrite -(sum_at (fun b => dot (column k b) (Ic b *m col l (S j))) j_bounds) [RHS]big_mkcond.
  apply: eq_big_nat => b b_bounds; rewrite -/(Ic b) -!mulmxA dot_transpose eq_sym.
  have par_lt := parents_first b_bounds; have par_le := parent_le parents_first b_bounds.
  have [_ b_le] := andP b_bounds.
  have [b_eq | b_neq] := eqVneq b j.
    by subst b; rewrite (column_at l b_bounds) (column_below l par_le par_lt) !mulmx0 dot0r subr0.
  rewrite (columnE l b_bounds) (negPf b_neq) addr0.
  have [b_eq | b_neq'] := eqVneq b i; last by rewrite (columnE k b_bounds) (negPf b_neq') addr0 subrr.
  have b_lt : (b < j)%N by rewrite ltn_neqAle b_neq b_eq.
  have := columnE l b_bounds; rewrite (column_below l b_le b_lt) (negPf b_neq) addr0 => <-.
  by rewrite !mulmx0 !dot0r subrr.
- by move=> b Y Z; rewrite mulmxBl dotBr.
by move=> Y; rewrite /column outward0 dot0l.
Qed.

(* CRBA computes the mass matrix, whose energy is Σ ½ tr(Ṫ_j J_j Ṫ_jᵀ). *)
Theorem mass_matrix i j (k : 'I_(nv i)) (l : 'I_(nv j)) : (0 < i <= n)%N -> (0 < j <= n)%N ->
  crba i j k l =
    \sum_(1 <= b < n.+1) \tr (dT k b *m J b *m (dT l b)^T)
    + (if (i == j) && (k == l :> nat) then armature i 0 k else 0).
Proof.
move=> i_bounds j_bounds; rewrite /crba mxE [in RHS]addrC addrC mxE addrC [in RHS]addrC; congr (_ + _).
have [i_pos i_le] := andP i_bounds; have [j_pos j_le] := andP j_bounds.
have energy p q (s : 'I_(nv p)) (t : 'I_(nv q)) : \sum_(1 <= b < n.+1) \tr (dT s b *m J b *m (dT t b)^T) =
    \sum_(1 <= b < n.+1) dot (column s b) (I b *m column t b).
  apply: eq_big_nat => b /andP [b_pos b_le]; rewrite !dT_column //.
  by have [E0 rot [r0 ->]] := T_pose b_le; rewrite body_inertia.
case: leqP => [le_ij | lt_ji].
  by rewrite climbE // col_mulmx energy composite ?i_pos.
rewrite mxE climbE // col_mulmx -composite ?j_pos ?(ltnW lt_ji) // -energy.
by apply: eq_bigr => b _; rewrite -mxtrace_tr !trmx_mul trmxK pseudo_inertiaT // mulmxA.
Qed.

(* ---- ABA ---- *)

Section ForwardDynamics.
Variable τ : forall i, 'cV[R]_(nv i).

(* aba.py, for body i with the articulated inertia and bias force y = (I^A, p^A). The code has no external forces here. *)
Definition U i (y : 'M[R]_(3 + 3) * force) := y.1 *m S i.
Definition D i y := (S i)^T *m U i y + diag_mx (armature i).
Definition u i (y : 'M[R]_(3 + 3) * force) := τ i - diag_mx (damping i) *m qd i - (S i)^T *m y.2.
Definition UD i y := invmx (D i y) *m (U i y)^T.
Definition Du i y := invmx (D i y) *m u i y.
Definition Ia i y := y.1 - U i y *m UD i y.
Definition pa i y := y.2 + Ia i y *m c i + U i y *m Du i y.
Definition IApA := inward n parent (fun i => (I i, crf (v i) *m (I i *m v i) - fx i))
  (fun i y => ((X i)^T *m Ia i y *m X i, (X i)^T *m pa i y)).
Definition a_aba := outward n parent (- a_g)
  (fun i a => let a' := X i *m a + c i in a' + S i *m (Du i (IApA i) - UD i (IApA i) *m a')).
Definition aba i := Du i (IApA i) - UD i (IApA i) *m (X i *m a_aba (parent i) + c i).

Hypothesis D_unit : forall i, (0 < i <= n)%N -> D i (IApA i) \in unitmx.

Lemma IAE i : (0 < i <= n)%N ->
  (IApA i).1 = I i + \sum_(1 <= c < n.+1 | parent c == i) (X c)^T *m Ia c (IApA c) *m X c.
Proof. by move=> bounds; rewrite {1}/IApA inwardE //= (big_morph fst (fun _ _ => erefl) erefl). Qed.
Lemma pAE i : (0 < i <= n)%N ->
  (IApA i).2 = crf (v i) *m (I i *m v i) - fx i + \sum_(1 <= c < n.+1 | parent c == i) (X c)^T *m pa c (IApA c).
Proof. by move=> bounds; rewrite {1}/IApA inwardE //= (big_morph snd (fun _ _ => erefl) erefl). Qed.

Lemma D_symmetric i y : y.1^T = y.1 -> (D i y)^T = D i y.
Proof. by move=> sym; rewrite /D /U linearD /= !trmx_mul trmxK sym tr_diag_mx mulmxA. Qed.

Lemma IA_symmetric i : (0 < i <= n)%N -> (IApA i).1^T = (IApA i).1.
Proof.
apply: (leaves_first parents_first (P := fun i => (IApA i).1^T = (IApA i).1)) => {}i bounds IH.
rewrite IAE // linearD linear_sum /= spatial_inertiaT //; congr (_ + _).
rewrite big_nat_cond [RHS]big_nat_cond; apply: eq_bigr => j /andP [j_bounds /eqP par].
have sym := IH j j_bounds par.
have sym_a : (Ia j (IApA j))^T = Ia j (IApA j).
  rewrite /Ia /UD linearB /= sym trmx_mul; congr (_ - _).
  by rewrite [in LHS]trmx_mul trmxK trmx_inv D_symmetric // mulmxA.
by rewrite !trmx_mul trmxK sym_a mulmxA.
Qed.

Section Elimination.
Variable qdd : forall i, 'cV[R]_(nv i).

(* The third loop's equation for the joint of body i, with RNEA's accelerations. *)
Definition eliminated i : Prop :=
  qdd i = Du i (IApA i) - UD i (IApA i) *m (X i *m a qdd (parent i) + c i).

(* RNEA's force is what the articulated inertia and bias force say. *)
Definition articulated i : Prop := f qdd i = (IApA i).1 *m a qdd i + (IApA i).2.

Lemma aE i : (0 < i <= n)%N -> a qdd i = X i *m a qdd (parent i) + c i + S i *m qdd i.
Proof. by move=> bounds; rewrite addrAC /a outwardE. Qed.

Lemma joint_equation i : (0 < i <= n)%N -> articulated i -> rnea qdd i = τ i <-> eliminated i.
Proof.
move=> bounds art; have sym := IA_symmetric bounds; have unit := D_unit bounds.
rewrite /eliminated; set a' := X i *m _ + _.
have transposed : (S i)^T *m (IApA i).1 = (U i (IApA i))^T by rewrite /U trmx_mul sym.
have balance : rnea qdd i - τ i = D i (IApA i) *m qdd i - (u i (IApA i) - (U i (IApA i))^T *m a').
  rewrite /rnea art mulmxDr mulmxA transposed aE // -/a' mulmxDr.
  have -> : D i (IApA i) = (U i (IApA i))^T *m S i + diag_mx (armature i).
    by rewrite -(D_symmetric i sym) /D linearD /= trmx_mul trmxK tr_diag_mx.
  by rewrite mulmxDl -mulmxA /u !opprD !opprK !addrA [RHS](ACl (6*1*5*2*4*3)).
have solved x : D i (IApA i) *m x = u i (IApA i) - (U i (IApA i))^T *m a' <-> x = Du i (IApA i) - UD i (IApA i) *m a'.
  by rewrite /Du /UD -mulmxA -mulmxBr; split=> [<- | ->]; rewrite ?mulKmx ?mulKVmx.
rewrite -solved; split=> eq; apply: subr0_eq; first by rewrite -balance eq subrr.
by rewrite balance eq subrr.
Qed.

Lemma given i : (0 < i <= n)%N -> eliminated i ->
  (IApA i).1 *m a qdd i + (IApA i).2 = Ia i (IApA i) *m (X i *m a qdd (parent i)) + pa i (IApA i).
Proof.
move=> bounds elim; rewrite aE // mulmxDr [(IApA i).1 *m (S i *m _)]mulmxA -/(U i (IApA i)) elim.
set a' := X i *m _ + _; have -> : X i *m a qdd (parent i) = a' - c i by rewrite addrK.
rewrite /pa !mulmxBr [Ia i _ *m a']mulmxBl [U i _ *m (UD i _ *m a')]mulmxA.
by rewrite !addrA [RHS](ACl (1*6*2*4*(3*5))) /= addNr addr0.
Qed.

Lemma articulated_step i : (0 < i <= n)%N ->
  (forall j, (0 < j <= n)%N -> parent j = i -> articulated j /\ eliminated j) -> articulated i.
Proof.
move=> bounds children; rewrite /articulated IAE // pAE // /f inwardE // -/(f qdd) mulmxDl -!addrA.
congr (_ + _); rewrite [RHS]addrCA; congr (_ + _).
rewrite [RHS]addrCA mulmx_suml -big_split /=; congr (_ + _).
rewrite big_nat_cond [RHS]big_nat_cond; apply: eq_bigr => j /andP [j_bounds /eqP par].
by have [-> elim] := children j j_bounds par; rewrite given // par mulmxDr !mulmxA.
Qed.

Lemma all_articulated : (forall i, (0 < i <= n)%N -> rnea qdd i = τ i \/ eliminated i) ->
  forall i, (0 < i <= n)%N -> articulated i /\ eliminated i.
Proof.
move=> either; apply: (leaves_first parents_first (P := fun i => articulated i /\ eliminated i)) => i bounds children.
have art := articulated_step bounds children; split=> //.
by case: (either i bounds) => // eq; apply: (proj1 (joint_equation bounds art)).
Qed.

Lemma same_accelerations : (forall i, (0 < i <= n)%N -> eliminated i \/ qdd i = aba i) ->
  forall i, (i <= n)%N -> a qdd i = a_aba i.
Proof.
move=> either; apply: (root_first parents_first (P := fun i => a qdd i = a_aba i)); first by rewrite /a /a_aba !outward0.
move=> i bounds par; rewrite aE //.
have -> : a_aba i = X i *m a_aba (parent i) + c i + S i *m aba i by rewrite /aba {1}/a_aba outwardE.
by have [elim | ->] := either i bounds; rewrite ?elim par.
Qed.
End Elimination.

(* ABA is the inverse function of RNEA: the joint forces of accelerations q̈ are τ if and only if ABA computes q̈ from τ. *)
Theorem forward_dynamics qdd :
  (forall i, (0 < i <= n)%N -> rnea qdd i = τ i) <-> (forall i, (0 < i <= n)%N -> qdd i = aba i).
Proof.
split=> eq i bounds.
  have elim j (j_bounds : (0 < j <= n)%N) : eliminated qdd j.
    by have [] := all_articulated (fun j bounds => or_introl (eq j bounds)) j_bounds.
  have acc := same_accelerations (fun j j_bounds => or_introl (elim j j_bounds)).
  by rewrite elim // acc ?(parent_le parents_first).
have acc := same_accelerations (fun j j_bounds => or_intror (eq j j_bounds)).
have elim j (j_bounds : (0 < j <= n)%N) : eliminated qdd j.
  by rewrite /eliminated eq // acc ?(parent_le parents_first).
have [art _] := all_articulated (fun j j_bounds => or_intror (elim j j_bounds)) bounds.
exact: (proj2 (joint_equation bounds art) (elim i bounds)).
Qed.

End ForwardDynamics.
End EveryTree.
