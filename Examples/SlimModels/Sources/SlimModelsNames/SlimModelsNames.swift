// The aliases of the classes are generated into the folder `Generated`.
