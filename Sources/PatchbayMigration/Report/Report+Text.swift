extension Report {
    /// The report for people: counts and names first, then each place.
    /// - Parameter listsAll: Whether to list also the places that work as they are.
    package func text(listsAll: Bool = false) -> String {
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
            let groups = section.groups.filter { listsAll || $0.verdict != .works }
            guard !groups.isEmpty else { continue }
            lines.append("Places of \(section.vendor)")
            for group in groups {
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
        let places = findings.isEmpty ? "No call into one of the five SDKs" : counted(findings.count, "place")
        return "\(places) in \(counted(fileCount, "file")) with \(counted(lineCount, "line"))."
    }

    private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
