# What pint reads when promtool_test.go runs it here, offline, over ../rules.
parser {
  include = ["../rules/.*[.]yaml"]
}
