name = other
comand = run {file}
