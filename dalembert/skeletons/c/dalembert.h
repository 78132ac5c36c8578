/* The functions that dalembert calls in a shared library: dalembert check -i lib:./libmy_dynamics.so
 *
 * Write DALEMBERT_LIBRARY, dalembert_load, dalembert_forget and one function for every quantity that you have; glue.c shows it.
 * The library runs in a process of its own: if it crashes, calls exit or does not return, nothing else is lost.
 */
#ifndef DALEMBERT_H
#define DALEMBERT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define DALEMBERT_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define DALEMBERT_EXPORT __attribute__((visibility("default")))
#else
#define DALEMBERT_EXPORT
#endif

/* The version of this file. */
#define DALEMBERT_ABI 1

/* Say once what the library is: DALEMBERT_LIBRARY("my_dynamics", "1.0") */
#define DALEMBERT_LIBRARY(name, version)                                        \
    int dalembert_abi(void) { return DALEMBERT_ABI; }                           \
    const char *dalembert_name(void) { return name; }                           \
    const char *dalembert_version(void) { return version; }

DALEMBERT_EXPORT int dalembert_abi(void);
DALEMBERT_EXPORT const char *dalembert_name(void);
DALEMBERT_EXPORT const char *dalembert_version(void);

/* What a function returns. Any other value means that it failed. */
enum { DALEMBERT_OK = 0, DALEMBERT_UNSUPPORTED = 1 };

/* A tree of bodies, parents first. Entry i of every list belongs to body i and to the joint that carries it. A joint's frame sits
 * in the parent body's frame, and a body's frame coincides with its joint's frame where q is zero. Matrices are row by row. Texts
 * are UTF-8. Everything is valid until dalembert_load returns. */
struct dalembert_mechanism {
    size_t bodies, nq, nv;   /* how many bodies; the lengths of q and of v */
    const char *name, *root; /* the root does not move */
    const char *const *body_names, *const *joint_names;
    const char *const *kinds;       /* "revolute", "prismatic", ... */
    const int *parents;             /* the index of the parent body, -1 for the root */
    const size_t *q_start, *v_start; /* where the joint's numbers begin in q and in v, in the conventions that you declare */
    const double *axes;             /* bodies x 3: unit vectors, in the joint's frame */
    const double *screws;           /* nv x 6: the twist [w; v] of every component of v, in the joint's frame */
    const double *rotations;        /* bodies x 3 x 3: from the joint's frame to the parent's */
    const double *translations;     /* bodies x 3: the joint's origin in the parent's frame (m) */
    const double *masses;           /* bodies (kg) */
    const double *coms;             /* bodies x 3: the centre of mass in the body's frame (m) */
    const double *inertias;         /* bodies x 3 x 3: about the centre of mass, in the body's frame (kg m^2) */
    const double *armature;         /* bodies (kg m^2 or kg) */
    const double *damping;          /* bodies (N m s or N s/m) */
    const double *gravity;          /* 3, in the root's frame (m/s^2) */
    const char *urdf;               /* the text of a URDF file if dalembert_wants_urdf returns 1 and URDF can do it, else null */
    int urdf_is_original;           /* whether it is the file that was read, and not one that was written */
    int urdf_free_base;             /* whether the file's root link is on a free joint, which the file does not say */
    /* Frames that coincide in some directions. Without a function of constraints below, there are none. */
    size_t constraints, directions;       /* how many constraints; how many constrained directions, the rows of J */
    const char *const *constraint_names;
    const int *firsts, *seconds;          /* the index of the body that has the first, the second frame, -1 for the root */
    const int *constrained;               /* constraints x 6: 1 where this component of [w; v] is a row of J, else 0 */
    const double *first_rotations;        /* constraints x 3 x 3: from the first frame's axes to those of its body */
    const double *first_translations;     /* constraints x 3: the first frame's origin in the frame of its body (m) */
    const double *second_rotations, *second_translations;
};

/* Make your model of a mechanism, and free it. */
DALEMBERT_EXPORT int dalembert_load(const struct dalembert_mechanism *mechanism, void **model);
DALEMBERT_EXPORT void dalembert_forget(void *model);

/* Optional. The kinds of joints that you have, with spaces between them; without this function, all. */
DALEMBERT_EXPORT const char *dalembert_joints(void);
/* Optional. The conventions that differ from dalembert's: "quaternion=wxyz; free_velocity=mixed". */
DALEMBERT_EXPORT const char *dalembert_conventions(void);
/* Optional. The precision in which you compute: "float32", "float16", "bfloat16" or fixed point such as "q15.16"; without this
 * function, float64. */
DALEMBERT_EXPORT const char *dalembert_precision(void);
/* Optional. order[k] becomes the index of the joint that is the k-th of your code. */
DALEMBERT_EXPORT int dalembert_joint_order(void *model, size_t *order);
/* Optional. For code that knows one robot: its name or the path of its URDF file as on the command line; "" for the mechanism of the
 * run. It is asked about no other mechanism. */
DALEMBERT_EXPORT const char *dalembert_robot(void);
/* Optional. Whether every mechanism shall come with a URDF file. */
DALEMBERT_EXPORT int dalembert_wants_urdf(void);
/* Optional. Why the last function failed, or what it does not have. */
DALEMBERT_EXPORT const char *dalembert_error(void);

/* The quantities, for one state: q has nq numbers; v, a and tau have nv; f has bodies x 6. The answer is zero at first; write it
 * row by row. `dalembert quantities` prints what each of them is. */
typedef int dalembert_of_q(void *model, const double *q, double *answer);
typedef int dalembert_of_q_v(void *model, const double *q, const double *v, double *answer);
typedef int dalembert_of_q_v_a(void *model, const double *q, const double *v, const double *a, double *answer);
typedef int dalembert_of_q_v_tau(void *model, const double *q, const double *v, const double *tau, double *answer);
typedef int dalembert_of_q_f(void *model, const double *q, const double *f, double *answer);
typedef int dalembert_of_q_v_a_f(void *model, const double *q, const double *v, const double *a, const double *f, double *answer);

DALEMBERT_EXPORT dalembert_of_q dalembert_mass_matrix, dalembert_gravity, dalembert_potential_energy, dalembert_placements,
    dalembert_jacobians_local, dalembert_jacobians_world, dalembert_jacobians_aligned, dalembert_center_of_mass,
    dalembert_centroidal_momentum_matrix, dalembert_forward_dynamics_dtau;
DALEMBERT_EXPORT dalembert_of_q_v dalembert_nonlinear_effects, dalembert_kinetic_energy, dalembert_velocities_local,
    dalembert_velocities_world, dalembert_velocities_aligned, dalembert_drifts_local, dalembert_drifts_world,
    dalembert_drifts_aligned, dalembert_centroidal_momentum, dalembert_inverse_dynamics_dv, dalembert_forward_dynamics_dv,
    dalembert_coriolis_matrix;
DALEMBERT_EXPORT dalembert_of_q_v_a dalembert_inverse_dynamics, dalembert_accelerations_local, dalembert_accelerations_world,
    dalembert_accelerations_aligned, dalembert_classical_accelerations, dalembert_inverse_dynamics_dq,
    dalembert_joint_torque_regressor;
DALEMBERT_EXPORT dalembert_of_q_v_tau dalembert_forward_dynamics, dalembert_forward_dynamics_dq;
DALEMBERT_EXPORT dalembert_of_q_v_a_f dalembert_inverse_dynamics_with_forces;

/* Frames that are fixed to bodies or to the root, and derivatives of motions. Of frames, only a URDF file tells. */
DALEMBERT_EXPORT dalembert_of_q dalembert_frame_placements, dalembert_frame_jacobians_local, dalembert_frame_jacobians_world,
    dalembert_frame_jacobians_aligned, dalembert_frame_jacobians_dq_local, dalembert_frame_jacobians_dq_world,
    dalembert_frame_jacobians_dq_aligned, dalembert_jacobians_dq_local, dalembert_jacobians_dq_world,
    dalembert_jacobians_dq_aligned;
DALEMBERT_EXPORT dalembert_of_q_v dalembert_frame_velocities_local, dalembert_frame_velocities_world,
    dalembert_frame_velocities_aligned, dalembert_frame_velocities_dq_local, dalembert_frame_velocities_dq_world,
    dalembert_frame_velocities_dq_aligned, dalembert_frame_accelerations_dv_local, dalembert_frame_accelerations_dv_world,
    dalembert_frame_accelerations_dv_aligned, dalembert_velocities_dq_local, dalembert_velocities_dq_world,
    dalembert_velocities_dq_aligned, dalembert_accelerations_dv_local, dalembert_accelerations_dv_world,
    dalembert_accelerations_dv_aligned, dalembert_classical_accelerations_dv;
DALEMBERT_EXPORT dalembert_of_q_v_a dalembert_frame_accelerations_local, dalembert_frame_accelerations_world,
    dalembert_frame_accelerations_aligned, dalembert_frame_classical_accelerations, dalembert_frame_accelerations_dq_local,
    dalembert_frame_accelerations_dq_world, dalembert_frame_accelerations_dq_aligned, dalembert_accelerations_dq_local,
    dalembert_accelerations_dq_world, dalembert_accelerations_dq_aligned, dalembert_classical_accelerations_dq;
/* Static forces by q, energy regressors, and rates and derivatives of the centre of mass and the momentum about it. */
DALEMBERT_EXPORT dalembert_of_q dalembert_gravity_dq, dalembert_potential_energy_regressor, dalembert_center_of_mass_jacobian;
DALEMBERT_EXPORT dalembert_of_q_f dalembert_static_forces_dq;
DALEMBERT_EXPORT dalembert_of_q_v dalembert_kinetic_energy_regressor, dalembert_center_of_mass_velocity,
    dalembert_centroidal_momentum_matrix_rate, dalembert_centroidal_momentum_dq, dalembert_centroidal_momentum_rate_dv;
DALEMBERT_EXPORT dalembert_of_q_v_a dalembert_center_of_mass_acceleration, dalembert_centroidal_momentum_rate,
    dalembert_centroidal_momentum_rate_dq;

/* Integrated positions and differences; dv is a velocity (nv), `to` is a position (nq). */
typedef int dalembert_of_q_dv(void *model, const double *q, const double *dv, double *answer);
typedef int dalembert_of_q_to(void *model, const double *q, const double *to, double *answer);
DALEMBERT_EXPORT dalembert_of_q_dv dalembert_integrate, dalembert_integrate_dq, dalembert_integrate_dv;
DALEMBERT_EXPORT dalembert_of_q_to dalembert_difference, dalembert_difference_dq, dalembert_difference_dto;

/* Constraints, of a mechanism that has some; v_minus is the velocity before an impact (nv). */
typedef int dalembert_of_q_v_minus(void *model, const double *q, const double *v_minus, double *answer);
DALEMBERT_EXPORT dalembert_of_q dalembert_constraint_jacobian, dalembert_constrained_acceleration_dtau,
    dalembert_constraint_multipliers_dtau, dalembert_delassus_matrix;
DALEMBERT_EXPORT dalembert_of_q_v dalembert_constraint_drift, dalembert_constrained_acceleration_dv, dalembert_constraint_forces_dv,
    dalembert_constraint_multipliers_dv;
DALEMBERT_EXPORT dalembert_of_q_v_tau dalembert_constrained_acceleration, dalembert_constraint_forces,
    dalembert_constraint_multipliers, dalembert_constrained_acceleration_dx, dalembert_constraint_forces_dx,
    dalembert_constraint_multipliers_dx;
DALEMBERT_EXPORT dalembert_of_q_v_minus dalembert_impact_velocity_plastic, dalembert_impact_velocity_half,
    dalembert_impact_velocity_elastic, dalembert_impact_forces_plastic, dalembert_impact_forces_half,
    dalembert_impact_forces_elastic;

#ifdef __cplusplus
}
#endif

#endif
