"""The longer texts of the command line's help."""

DATA = """
DATA is LIBSVM or CSV text, plain or compressed (gzip, xz, bzip2 or zstd, recognised by its first bytes), a
NumPy .npy matrix with the labels in one column, an .npz with arrays X and y, a Parquet or Arrow (Feather)
file, or "-" for standard input. Columns of CSV with a header, Parquet and Arrow may hold words: each word is
a feature. Parquet, Arrow, zstd and CSV with words need pyarrow. The label of all but LIBSVM and .npz is in
the last column unless --label-column names another. Data are read in pieces, so memory does not grow with
the file. The exception is a Fortran-ordered matrix in an .npz, in a compressed file or from a pipe: it is
read as a whole.
"""

TRAIN = """
The rows are learned in the order of the file. A file is scanned for its classes, its number of features and,
with --standardize, its mean and deviation; CSV and NumPy files are learned meanwhile, and read again only
where a class comes late or something is needed of the whole file. A pipe can be read only once: its first
--warmup-rows rows are buffered and scanned instead. Classes that appear later are added, unless --classes
gives all of them. So are LIBSVM features (with --gamma auto, and with --gamma scale before row 1024, they
are an error). The model file is written at the end, or on Ctrl-C or SIGTERM with the rows learned so far.

With --resume MODEL, a saved model learns the rows of DATA as if they had followed its own in one stream: the
result is the same, bit for bit. A scaling of --standardize and a stream length stay as they are. The rows are
not scanned first; classes and LIBSVM features that are new to the model are added, as late ones of a pipe.
The counts of progressive errors go on too.

With --task regression the labels are targets from -1e15 to 1e15. Reported are the root mean squared error
(RMSE), the mean absolute error (MAE) and, for a test, R^2.
"""

COMPARE = """
One model for each budget learns all rows in one pass, in the order of the file. Each row is predicted by
every model just before it is learned: the error rate so far is the progressive error (Crammer, Kandola and
Singer 2003 choose the size of their cache by it). The output is the error at some checkpoints and at the end,
the budget with the lowest error, and the smallest budget within one standard error of it. The standard error
is the binomial one, sqrt(p (1 - p) / n) for the progressive error p after n rows. With --task regression the
error is the mean absolute error. Each model is the same as that of "train".

A file is first scanned for its classes, its number of features and, with --standardize, its mean and
deviation. A pipe can be read only once: its first --warmup-rows rows are buffered and scanned instead. On
Ctrl-C or SIGTERM the results for the rows so far are written.
"""

SCORE = """
The rows are in the same form as for "train": a scaling is part of the model. CSV and NumPy files must have as
many features as the model. LIBSVM rows may have more; those features are taken as zero in all rows that the
model has learned.
"""

EVALUATE = """
Classification reports the accuracy, the balanced accuracy (the mean recall of the classes), the macro F1, and
the confusion matrix, or of more than 20 classes the most confused pairs; the log loss of models with
probabilities; and for two classes the area under the ROC curve (AUC), which is exact up to 4,194,304 rows and
then from a histogram of the scores. Regression reports RMSE, MAE and R^2.
"""

PLOT = """
For two features these are the decision regions, or in regression the prediction as a filled contour, with
the support vectors, larger for a larger weight; for one feature the scores or the prediction as a curve. All
are in the units of the raw rows. For more features these are the importances of the features,
or without a learned metric the weights of the support vectors.
"""

EXIT_CODES = """
Exit codes: 0 success (also when the reader of an output pipe closes it); 1 the data cannot be read or do not
fit the model, or the output cannot be written; 2 invalid arguments; 3 the model file cannot be read or
written; 130 stopped by Ctrl-C, 143 by SIGTERM (a message then says what was saved).
"""

WHICH = """
Which algorithm?

  online-kernel   the default: rows in any units, streams that change,
                  probabilities; nothing to tune
  bsgd-merge      sparse rows with thousands of features; probabilities with
                  --loss log_loss; for regression quantiles with --loss quantile
  bpa-nn          regression of sparse rows with thousands of features
  pegasos, pa     no budget: memory grows with the data

"budgetrs train --help" names all algorithms and their parameters; docs/choosing.md has the papers.
"""

EXAMPLES = {
    "train": "budgetrs train data.csv --budget 200 --test test.csv -o model",
    "compare": "budgetrs compare data.csv --budget 50,100,200 --figure curves.png",
    "predict": "budgetrs predict model new.csv -o labels.txt",
    "evaluate": "budgetrs evaluate model test.csv",
    "info": "budgetrs info model",
    "plot": "budgetrs plot model -o model.png --data data.csv",
    "demo": "budgetrs demo --rows 100000 --out demo",
}
"""An example of each command."""
