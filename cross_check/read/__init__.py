"""Files and their readers: one file as every reader takes it, equivalent files, misreadings."""
