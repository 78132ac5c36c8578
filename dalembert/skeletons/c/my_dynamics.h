/* Dynamics of trees of revolute and prismatic joints. This is an example: replace it by your code. */
#ifndef MY_DYNAMICS_H
#define MY_DYNAMICS_H

struct tree;

/* An empty tree with room for this many bodies, or null where there is no memory. */
struct tree *tree_new(int bodies, const double gravity[3]);

/* Add a body and the joint that carries it. The joint's frame sits in the parent's frame; the body's frame is the joint's at
 * q = 0. parent is an index, -1 for the root; parents come first. The joint turns about its axis (revolute) or slides (prismatic).
 * rotation leads from the joint's frame to the parent's, row by row; inertia is about the centre of mass. */
void tree_add(struct tree *tree, int parent, int turns, const double axis[3], const double rotation[9],
              const double translation[3], double mass, const double com[3], const double inertia[9], double armature,
              double damping);

void tree_free(struct tree *tree);

/* The forces tau of the joints for positions q, velocities v and accelerations a. */
void inverse_dynamics(struct tree *tree, const double *q, const double *v, const double *a, double *tau);

/* The mass matrix M, row by row. */
void mass_matrix(struct tree *tree, const double *q, double *M);

#endif
