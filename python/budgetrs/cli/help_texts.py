"""The longer texts of the command line's help."""

DATA = """
DATA is a CSV, LIBSVM, ARFF, Parquet, Arrow (Feather), .npy or .npz file, or "-" for standard input. Text may
be compressed (gzip, xz, bzip2 or zstd). Text columns are one-hot encoded.
"""

TRAIN = """
The model learns the rows in the order of the file and is saved at the end, or on Ctrl-C. If the order means
nothing, give --shuffle: several passes in random order are more accurate. Rows that are sorted by label must
be shuffled.
"""

COMPARE = """
One pass over DATA trains one model per budget. Each model predicts each row before learning it. The share of
wrong predictions is the progressive error; in regression it is the mean absolute error. The output is the
error of each budget, the budget with the lowest error, and the smallest budget whose error is within one
standard error of the lowest.
"""

SCORE = """
DATA has the same columns as the training data; LIBSVM data may have more features.
"""

EVALUATE = """
Classification reports accuracy, balanced accuracy, macro F1 and the confusion matrix, the AUC for two
classes, and the log loss of models with probabilities. Regression reports RMSE, MAE and R^2.
"""

PLOT = """
A model of one feature is drawn as a curve, a model of two features as decision regions or contours with its
support vectors. For more features the picture shows the importance of each feature, or, for a model without
a learned metric, the weights of the support vectors.
"""

EXIT_CODES = """
Exit codes: 0 success; 1 invalid data; 2 invalid arguments; 3 the model file cannot be read or written;
130 stopped by Ctrl-C, 143 by SIGTERM.
"""

WHICH = """
Which algorithm?

  online-kernel   the default: no feature scaling, no tuning, adapts to drift,
                  probabilities
  bsgd-merge      sparse rows with thousands of features; probabilities with
                  loss=log_loss; quantile regression with loss=quantile
  bpa-nn          regression on sparse rows with thousands of features
  pegasos, pa     no budget: memory grows with the data

"budgetrs train --help-all" lists all algorithms and parameters.
"""

EXAMPLES = {
    "train": "budgetrs train data.csv --budget 200 --test test.csv -o model",
    "compare": "budgetrs compare data.csv --budget 50,100,200 --figure curves.png",
    "predict": "budgetrs predict model new.csv -o labels.txt",
    "evaluate": "budgetrs evaluate model test.csv",
    "info": "budgetrs info model",
    "plot": "budgetrs plot model -o model.png --data data.csv",
    "demo": "budgetrs demo --rows 100000 -o demo",
}
"""An example of each command."""
