extension Report {
    /// The report for people: counts and names first, then each place.
    package var text: String {
        var lines: [String] = []
        let sections = sections
        for section in sections {
            let counts = Verdict.Kind.allCases.filter { section.count($0) > 0 }.map {
                "\(section.count($0)) \($0.rawValue)"
            }
            lines.append("\(section.vendor): \(counts.joined(separator: ", "))")
            for group in section.groups {
                let count = "\(group.places.count)"
                let kind = group.verdict.kind.rawValue
                lines.append(
                    "  \(kind.padded(to: 15))  \(String(repeating: " ", count: max(0, 5 - count.count)))\(count)  \(group.name)"
                )
                if let advice = group.verdict.advice { lines.append(String(repeating: " ", count: 26) + advice) }
            }
            lines.append("")
        }
        for section in sections {
            lines.append("Places of \(section.vendor)")
            for group in section.groups {
                let advice = group.verdict.advice.map { " (\($0))" } ?? ""
                for place in group.places {
                    lines.append("\(place.file):\(place.line): \(group.verdict.kind.rawValue): \(group.name)\(advice)")
                }
            }
            lines.append("")
        }
        if !problems.isEmpty {
            lines.append("Not read, or not completely")
            lines += problems.map {
                "\($0.file)\($0.problem.line > 0 ? ":\($0.problem.line)" : ""): \($0.problem.text)"
            }
            lines.append("")
        }
        lines.append(summary)
        return lines.joined(separator: "\n")
    }

    private var summary: String {
        let places = findings.isEmpty ? "No call into one of the five SDKs" : "\(findings.count) places"
        return "\(places) in \(fileCount) files with \(lineCount) lines."
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
