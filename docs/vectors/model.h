/* The arrays of a file of test vectors, for mechanisms whose joints have one coordinate each. */
enum { MOST = 128 };

struct model {
    int n; /* bodies, joints, coordinates */
    double parents[MOST], screws[MOST][6], rotations[MOST][9], translations[MOST][3];
    double masses[MOST], coms[MOST][3], inertias[MOST][9], armature[MOST], damping[MOST], gravity[3];
};

/* The code under test: the joints' forces tau (n) at q, v, a (n). */
void inverse_dynamics(const struct model *m, const double *q, const double *v, const double *a, double *tau);
