(* Spatial vectors, 4×4 matrices, and what connects them, over any commutative ring.

   docs/conventions.md and implementations/spatial_algebra/spatial.py have the same definitions. A motion vector is [ω; v], a
   force vector is [n; f]. Nothing is assumed here. *)

From mathcomp Require Import all_ssreflect all_algebra.
Require Import Ring.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section SpatialAlgebra.
Variable R : comRingType.

(* ---- Definitions ---- *)

Definition vec (x y z : R) : 'cV[R]_3 := \col_i [:: x; y; z]`_i.

Definition mat (a b c d e f g h k : R) : 'M[R]_3 :=
  \matrix_(i, j) (nth [::] [:: [:: a; b; c]; [:: d; e; f]; [:: g; h; k]] i)`_j.

(* w×, the matrix of the vector product. *)
Definition skew (w : 'cV[R]_3) : 'M[R]_3 :=
  let x := w 0 0 in let y := w 1 0 in let z := w 2%:R 0 in
  mat   0   (- z)   y
        z     0   (- x)
      (- y)   x     0.

(* [m], the 4×4 matrix of a motion vector: [[ω×, v], [0, 0]]. *)
Definition bracket (m : 'cV[R]_(3 + 3)) : 'M[R]_(3 + 1) := block_mx (skew (usubmx m)) (dsubmx m) 0 0.

(* v × and v ×*: spatial.py, crm and crf. *)
Definition crm (v : 'cV[R]_(3 + 3)) : 'M[R]_(3 + 3) := block_mx (skew (usubmx v)) 0 (skew (dsubmx v)) (skew (usubmx v)).
Definition crf (v : 'cV[R]_(3 + 3)) : 'M[R]_(3 + 3) := block_mx (skew (usubmx v)) (skew (dsubmx v)) 0 (skew (usubmx v)).

(* From the parent to the body. E rotates coordinates; r is the body's origin in the parent's frame: spatial.py, Plucker. *)
Definition rotation (E : 'M[R]_3) : Prop := E *m E^T = 1%:M /\ \det E = 1.
Definition plucker (E : 'M[R]_3) (r : 'cV[R]_3) : 'M[R]_(3 + 3) := block_mx E 0 (- (E *m skew r)) E.
Definition pose (E : 'M[R]_3) (r : 'cV[R]_3) : 'M[R]_(3 + 1) := block_mx E^T r 0 1%:M.

(* A body: Σ = ∫ x xᵀ dm, h = m c, m. The oracle uses the 4×4 matrix, the reference the 6×6 matrix: model.py, spatial_inertia. *)
Definition pseudo_inertia (Σ : 'M[R]_3) (h : 'cV[R]_3) (m : R) : 'M[R]_(3 + 1) := block_mx Σ h h^T m%:M.
Definition spatial_inertia (Σ : 'M[R]_3) (h : 'cV[R]_3) (m : R) : 'M[R]_(3 + 3) :=
  block_mx ((\tr Σ)%:M - Σ) (skew h) (- skew h) m%:M.

(* The power of a force f along a motion s. *)
Definition dot n (s f : 'cV[R]_n) : R := (s^T *m f) 0 0.

(* ---- 3×3 matrices by their entries, so that identities become polynomial identities ---- *)

Lemma R_ring : @ring_theory (GRing.Zmodule.sort (GRing.ComRing.zmodType R)) 0 1 +%R *%R (fun a b => a - b) -%R eq.
Proof.
by split; [exact: add0r | exact: addrC | exact: addrA | exact: mul1r | exact: mulrC | exact: mulrA | exact: mulrDl | | exact: subrr].
Qed.
Add Ring R_ring : R_ring.
Lemma sum_with_zero (a b : R) : 0 + a = 0 + b -> a = b. Proof. by rewrite !add0r. Qed.

(* [ring] finds the ring by the type of the first term, and compares operations by their names. *)
Ltac polynomial :=
  try change (GRing.Ring.zmodType (GRing.ComRing.ringType R)) with (GRing.ComRing.zmodType R);
  apply: sum_with_zero; ring.
Ltac rows := apply/colP => - [[|[|[|//]]] ?]; by rewrite !(mxE, big_ord_recl, big_ord0, addr0).
Ltac entries := apply/matrixP => - [[|[|[|//]]] ?] [[|[|[|//]]] ?]; by rewrite !(mxE, big_ord_recl, big_ord0, addr0).

Lemma vecE (w : 'cV[R]_3) : w = vec (w 0 0) (w 1 0) (w 2%:R 0).
Proof. by apply/colP => - [[|[|[|//]]] ?]; rewrite mxE; congr (w _ _); apply/val_inj. Qed.

Lemma matE (M : 'M[R]_3) :
  M = mat (M 0 0) (M 0 1) (M 0 2%:R) (M 1 0) (M 1 1) (M 1 2%:R) (M 2%:R 0) (M 2%:R 1) (M 2%:R 2%:R).
Proof. by apply/matrixP => - [[|[|[|//]]] ?] [[|[|[|//]]] ?]; rewrite mxE; congr (M _ _); apply/val_inj. Qed.

Lemma symmetricE (M : 'M[R]_3) : M^T = M -> exists a b c e f k, M = mat a b c b e f c f k.
Proof.
move=> sym; exists (M 0 0), (M 0 1), (M 0 2%:R), (M 1 1), (M 1 2%:R), (M 2%:R 2%:R).
by rewrite {1}(matE M) -{4 7 8}sym !mxE.
Qed.

Lemma skewE x y z : skew (vec x y z) = mat 0 (- z) y z 0 (- x) (- y) x 0.
Proof. by rewrite /skew !mxE. Qed.

Lemma vecD x y z a b c : vec x y z + vec a b c = vec (x + a) (y + b) (z + c). Proof. rows. Qed.
Lemma vecN x y z : - vec x y z = vec (- x) (- y) (- z). Proof. rows. Qed.
Lemma matD a b c d e f g h k a' b' c' d' e' f' g' h' k' :
  mat a b c d e f g h k + mat a' b' c' d' e' f' g' h' k' =
  mat (a + a') (b + b') (c + c') (d + d') (e + e') (f + f') (g + g') (h + h') (k + k').
Proof. entries. Qed.
Lemma matN a b c d e f g h k :
  - mat a b c d e f g h k = mat (- a) (- b) (- c) (- d) (- e) (- f) (- g) (- h) (- k).
Proof. entries. Qed.
Lemma matT a b c d e f g h k : (mat a b c d e f g h k)^T = mat a d g b e h c f k. Proof. entries. Qed.
Lemma mat_scalar a : a%:M = mat a 0 0 0 a 0 0 0 a. Proof. entries. Qed.
Lemma matM a b c d e f g h k a' b' c' d' e' f' g' h' k' :
  mat a b c d e f g h k *m mat a' b' c' d' e' f' g' h' k' =
  mat (a * a' + (b * d' + c * g')) (a * b' + (b * e' + c * h')) (a * c' + (b * f' + c * k'))
      (d * a' + (e * d' + f * g')) (d * b' + (e * e' + f * h')) (d * c' + (e * f' + f * k'))
      (g * a' + (h * d' + k * g')) (g * b' + (h * e' + k * h')) (g * c' + (h * f' + k * k')).
Proof. entries. Qed.
Lemma mat_vec a b c d e f g h k x y z :
  mat a b c d e f g h k *m vec x y z =
  vec (a * x + (b * y + c * z)) (d * x + (e * y + f * z)) (g * x + (h * y + k * z)).
Proof. rows. Qed.
Lemma vec_vecT x y z a b c :
  vec x y z *m (vec a b c)^T = mat (x * a) (x * b) (x * c) (y * a) (y * b) (y * c) (z * a) (z * b) (z * c).
Proof. entries. Qed.
Lemma vec_scalar x y z a : vec x y z *m a%:M = vec (x * a) (y * a) (z * a).
Proof. by rewrite mul_mx_scalar; apply/colP => - [[|[|[|//]]] ?]; rewrite !mxE mulrC. Qed.
Lemma mat_trace a b c d e f g h k : \tr (mat a b c d e f g h k) = a + (e + k).
Proof. by rewrite /mxtrace !(mxE, big_ord_recl, big_ord0, addr0). Qed.
Lemma dot_vec x y z a b c : dot (vec x y z) (vec a b c) = x * a + (y * b + z * c).
Proof. by rewrite /dot !(mxE, big_ord_recl, big_ord0, addr0). Qed.
Lemma mat_det a b c d e f g h k :
  \det (mat a b c d e f g h k) = a * (e * k - f * h) - b * (d * k - f * g) + c * (d * h - e * g).
Proof.
rewrite (expand_det_row _ 0) !big_ord_recl big_ord0 /cofactor !(expand_det_row _ 0) !big_ord_recl !big_ord0 /cofactor.
rewrite !det_mx11 !mxE /= /bump /= !exprS !expr0.
by polynomial.
Qed.

Definition byEntries := (skewE, vecD, vecN, matD, matN, matT, mat_scalar, matM, mat_vec, vec_vecT, vec_scalar, mat_trace, dot_vec).

(* ---- Brackets and the vector product ---- *)

Lemma skew_is_linear : linear skew.
Proof.
move=> a v w; rewrite (vecE v) (vecE w).
have -> x y z : a *: vec x y z = vec (a * x) (a * y) (a * z) by rows.
have matZ b c d e f g h k l : a *: mat b c d e f g h k l = mat (a * b) (a * c) (a * d) (a * e) (a * f) (a * g) (a * h) (a * k) (a * l) by entries.
by rewrite !byEntries matZ matD; congr mat; polynomial.
Qed.
Canonical skew_linear := Linear skew_is_linear.

Lemma bracket_is_linear : linear bracket.
Proof.
by move=> a v w; rewrite /bracket !linearP /= scale_block_mx !scaler0 add_block_mx !addr0.
Qed.
Canonical bracket_linear := Linear bracket_is_linear.

Lemma skew_skew v w : skew (skew v *m w) = skew v *m skew w - skew w *m skew v.
Proof. by rewrite (vecE v) (vecE w) !byEntries; congr mat; polynomial. Qed.

Lemma skewC v w : skew v *m w = - (skew w *m v).
Proof. by rewrite (vecE v) (vecE w) !byEntries; congr vec; polynomial. Qed.

Lemma skewT w : (skew w)^T = - skew w.
Proof. by rewrite (vecE w) !byEntries; congr mat; polynomial. Qed.

(* The rows of E are a right-handed orthonormal triad, so E w × E u = E (w × u). *)
Lemma skew_rotation E w : rotation E -> skew (E *m w) *m E = E *m skew w.
Proof.
case=> orthogonal det1.
have cofactors : E^T *m skew (E *m w) *m E = \det E *: skew w.
  have scalarE (a : R) (M : 'M[R]_3) : a *: M = a%:M *m M by rewrite mul_scalar_mx.
  by rewrite scalarE (vecE w) (matE E) mat_det !byEntries; congr mat; polynomial.
by rewrite -[LHS]mul1mx -orthogonal -!mulmxA [E^T *m _]mulmxA cofactors det1 scale1r.
Qed.

(* ---- Power ---- *)

Lemma dotDl n (s t f : 'cV[R]_n) : dot (s + t) f = dot s f + dot t f.
Proof. by rewrite /dot linearD mulmxDl mxE. Qed.
Lemma dotDr n (s e f : 'cV[R]_n) : dot s (e + f) = dot s e + dot s f.
Proof. by rewrite /dot mulmxDr mxE. Qed.
Lemma dotBr n (s e f : 'cV[R]_n) : dot s (e - f) = dot s e - dot s f.
Proof. by rewrite /dot mulmxBr !mxE. Qed.
Lemma dot0l n (f : 'cV[R]_n) : dot 0 f = 0.
Proof. by rewrite /dot trmx0 mul0mx mxE. Qed.
Lemma dot0r n (s : 'cV[R]_n) : dot s 0 = 0.
Proof. by rewrite /dot mulmx0 mxE. Qed.
Lemma dot_transpose n p (M : 'M[R]_(n, p)) s f : dot s (M^T *m f) = dot (M *m s) f.
Proof. by rewrite /dot trmx_mul mulmxA. Qed.
Lemma dot_col n p q (M : 'M[R]_(n, p)) (N : 'M[R]_(n, q)) k l : (M^T *m N) k l = dot (col k M) (col l N).
Proof. by rewrite /dot !mxE; apply: eq_bigr => i _; rewrite !mxE. Qed.

(* ---- Transforms and cross products ---- *)

Lemma bracketE (w v : 'cV[R]_3) : bracket (col_mx w v) = block_mx (skew w) v 0 0.
Proof. by rewrite /bracket col_mxKu col_mxKd. Qed.
Lemma pluckerE E r (w v : 'cV[R]_3) : plucker E r *m col_mx w v = col_mx (E *m w) (E *m (v - skew r *m w)).
Proof. by rewrite mul_block_col mul0mx addr0 mulNmx mulmxBr mulmxA addrC. Qed.
Lemma crmE (ω u w v : 'cV[R]_3) : crm (col_mx ω u) *m col_mx w v = col_mx (skew ω *m w) (skew u *m w + skew ω *m v).
Proof. by rewrite /crm col_mxKu col_mxKd mul_block_col mul0mx addr0. Qed.
Lemma crfE (ω u n f : 'cV[R]_3) : crf (col_mx ω u) *m col_mx n f = col_mx (skew ω *m n + skew u *m f) (skew ω *m f).
Proof. by rewrite /crf col_mxKu col_mxKd mul_block_col mul0mx add0r. Qed.

(* [X m] = A⁻¹ [m] A, written without the inverse. *)
Lemma bracket_plucker E r m : rotation E -> pose E r *m bracket (plucker E r *m m) = bracket m *m pose E r.
Proof.
move=> rot; have /mulmx1C orthogonal := proj1 rot.
rewrite -[m]vsubmxK pluckerE !bracketE !mulmx_block !mul0mx !mulmx0 !addr0 !mulmx1 !mulmxA orthogonal mul1mx.
rewrite skewC opprK addrC; congr block_mx.
by apply: oppr_inj; rewrite -mulmxN -mulNmx -!skewT -!trmx_mul skew_rotation.
Qed.

(* [v × m] = [v] [m] − [m] [v]. *)
Lemma bracket_crm v m : bracket (crm v *m m) = bracket v *m bracket m - bracket m *m bracket v.
Proof.
rewrite -[m]vsubmxK -[v]vsubmxK crmE !bracketE !mulmx_block !mul0mx !mulmx0 !addr0.
by rewrite opp_block_mx add_block_mx !oppr0 !addr0 skew_skew (skewC (dsubmx v)) [- _ + _]addrC.
Qed.

(* ---- The body: lemma 3 ---- *)

(* Two brackets and everything that is built from them have a zero last row; a pose drops out of their product's trace. *)
Lemma trace_pose E r (J : 'M[R]_(3 + 1)) (M N : 'M[R]_(3, 3 + 1)) : rotation E ->
  \tr (pose E r *m col_mx M 0 *m J *m (pose E r *m col_mx N 0)^T) = \tr (M *m J *m N^T).
Proof.
case=> orthogonal _; rewrite /pose !mul_block_col !mulmx0 !addr0 !mul0mx.
rewrite tr_col_mx trmx0 mul_col_mx mul_col_row !mul0mx !mulmx0 mxtrace_block mxtrace0 addr0.
by rewrite trmx_mul trmxK -!mulmxA mxtrace_mulC -!mulmxA orthogonal mulmx1.
Qed.

Lemma inertiaE Σ h m (w v : 'cV[R]_3) :
  spatial_inertia Σ h m *m col_mx w v = col_mx (((\tr Σ)%:M - Σ) *m w + skew h *m v) (- skew h *m w + m%:M *m v).
Proof. by rewrite /spatial_inertia mul_block_col. Qed.
Lemma dotE (w v n f : 'cV[R]_3) : dot (col_mx w v) (col_mx n f) = dot w n + dot v f.
Proof. by rewrite /dot tr_col_mx mul_row_col mxE. Qed.
Lemma bracket_squareE (α a ω v : 'cV[R]_3) :
  bracket (col_mx α a) + bracket (col_mx ω v) *m bracket (col_mx ω v) =
  col_mx (row_mx (skew α + skew ω *m skew ω) (a + skew ω *m v)) 0.
Proof. by rewrite !bracketE mulmx_block !mul0mx !mulmx0 !addr0 add_block_mx !addr0 /block_mx row_mx0. Qed.

(* tr(T [s] J (T ([a] + [v]²))ᵀ) = sᵀ (I a + v ×* I v). *)
Lemma body_force E r Σ h m s a v : rotation E -> Σ^T = Σ ->
  \tr (pose E r *m bracket s *m pseudo_inertia Σ h m *m (pose E r *m (bracket a + bracket v *m bracket v))^T) =
  dot s (spatial_inertia Σ h m *m a + crf v *m (spatial_inertia Σ h m *m v)).
Proof.
move=> rot /symmetricE [c1 [c2 [c3 [c4 [c5 [c6 ->]]]]]].
rewrite -[s]vsubmxK -[a]vsubmxK -[v]vsubmxK bracket_squareE bracketE /block_mx row_mx0 trace_pose //.
rewrite mul_row_block tr_row_mx mul_row_col mxtraceD.
rewrite !inertiaE crfE add_col_mx dotE.
move: (usubmx s) (dsubmx s) (usubmx a) (dsubmx a) (usubmx v) (dsubmx v) => σ s' α a' ω v'.
rewrite (vecE h) (vecE σ) (vecE s') (vecE α) (vecE a') (vecE ω) (vecE v').
rewrite !byEntries.
by polynomial.
Qed.

Lemma pseudo_inertiaT Σ h m : Σ^T = Σ -> (pseudo_inertia Σ h m)^T = pseudo_inertia Σ h m.
Proof. by move=> sym; rewrite /pseudo_inertia tr_block_mx sym trmxK tr_scalar_mx. Qed.
Lemma spatial_inertiaT Σ h m : Σ^T = Σ -> (spatial_inertia Σ h m)^T = spatial_inertia Σ h m.
Proof.
by move=> sym; rewrite /spatial_inertia tr_block_mx linearB /= sym !tr_scalar_mx linearN /= skewT opprK.
Qed.

(* The same with accelerations only: tr(T [s] J (T [s'])ᵀ) = sᵀ I s'. *)
Lemma body_inertia E r Σ h m s s' : rotation E -> Σ^T = Σ ->
  \tr (pose E r *m bracket s *m pseudo_inertia Σ h m *m (pose E r *m bracket s')^T) =
  dot s (spatial_inertia Σ h m *m s').
Proof.
move=> rot sym; have := body_force r h m s s' 0 rot sym.
by rewrite linear0 mul0mx addr0 !mulmx0 addr0.
Qed.

(* ---- Gravity and poses ---- *)

(* A pose does not change a translation that is applied from the left: [a_g] A = [a_g]. *)
Lemma bracket_gravity (g : 'cV[R]_3) E r : bracket (col_mx 0 g) *m pose E r = bracket (col_mx 0 g).
Proof. by rewrite bracketE linear0 mulmx_block !mul0mx mulmx0 !mulmx1 !add0r. Qed.

Lemma pose1 : pose 1%:M 0 = 1%:M.
Proof. by rewrite /pose trmx1 -scalar_mx_block. Qed.

Lemma poseM E r E' r' : pose E r *m pose E' r' = pose (E' *m E) (E^T *m r' + r).
Proof. by rewrite /pose mulmx_block !mulmx0 !mul0mx !mulmx1 !addr0 add0r trmx_mul. Qed.

Lemma rotation1 : rotation 1%:M.
Proof. by rewrite /rotation trmx1 mulmx1 det1. Qed.

Lemma rotationM E E' : rotation E -> rotation E' -> rotation (E *m E').
Proof.
move=> [ort det] [ort' det']; split; last by rewrite det_mulmx det det' mulr1.
by rewrite trmx_mul mulmxA -[E *m E' *m _]mulmxA ort' mulmx1.
Qed.

End SpatialAlgebra.
