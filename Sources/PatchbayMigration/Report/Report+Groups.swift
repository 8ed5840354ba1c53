extension Report {
    /// The places of one name with one verdict.
    struct Group {
        var name: String
        var verdict: Verdict
        var places: [(file: String, line: Int)]
    }

    /// The names of one vendor, those with problems first.
    struct Section {
        var vendor: String
        var groups: [Group]

        func count(_ kind: Verdict.Kind) -> Int {
            groups.reduce(0) { $0 + ($1.verdict.kind == kind ? $1.places.count : 0) }
        }
    }

    var sections: [Section] {
        var sections: [Section] = []
        for finding in findings {
            if sections.last?.vendor != finding.vendor { sections.append(Section(vendor: finding.vendor, groups: [])) }
            let last = sections.count - 1
            let known = sections[last].groups.last
            if known?.name != finding.name || known?.verdict != finding.verdict {
                sections[last].groups.append(Group(name: finding.name, verdict: finding.verdict, places: []))
            }
            sections[last].groups[sections[last].groups.count - 1].places.append((finding.file, finding.line))
        }
        return sections
    }
}

extension Verdict {
    /// What the report says after the name, if anything.
    var advice: String? {
        switch self {
        case .works: nil
        case .otherwise(let link, let text), .missing(let link, let text):
            [text, link].filter { !$0.isEmpty }.joined(separator: "; see ")
        case .ambiguous(let text): text
        }
    }

    var link: String? {
        switch self {
        case .otherwise(let link, _), .missing(let link, _): link.isEmpty ? nil : link
        case .works, .ambiguous: nil
        }
    }
}
