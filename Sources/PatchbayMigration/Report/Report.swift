/// All places of an app that use one of the SDKs, and what becomes of them.
package struct Report: Sendable {
    package struct FileProblem: Sendable, Equatable {
        package var file: String
        package var problem: SourceProblem
    }

    /// By vendor, then by verdict, name, file and line.
    package private(set) var findings: [Finding] = []
    /// What could not be read, or not completely.
    package private(set) var problems: [FileProblem] = []
    package private(set) var fileCount = 0
    package private(set) var lineCount = 0

    /// Whether a call has nothing to move to.
    package var hasMissing: Bool { findings.contains { $0.verdict.kind == .missing } }

    /// Reports on the files of a tree.
    package init(_ tree: SourceTree, _ catalogue: Catalogue = .standard) {
        var scans: [FileScan] = []
        problems = tree.problems.map { FileProblem(file: $0.path, problem: SourceProblem(line: 0, text: $0.text)) }
        let files = Set(tree.files)
        for file in tree.files {
            guard let language = SourceTree.language(of: file) else { continue }
            switch SourceTree.read(file) {
            case .unreadable(let text):
                problems.append(FileProblem(file: file, problem: SourceProblem(line: 0, text: text)))
            case .text(let bytes, let problem):
                var header: [UInt8]?
                if let name = SourceTree.header(of: file), files.contains(name),
                    case .text(let bytes, _) = SourceTree.read(name)
                {
                    header = bytes
                }
                var scan = FileScan(bytes, language, file: file, catalogue, header: header)
                if let problem { scan.problems.insert(problem, at: 0) }
                if scan.isVendorHeader {
                    scan.problems.insert(SourceProblem(line: 0, text: "a header of the vendor; not counted"), at: 0)
                }
                problems += scan.problems.map { FileProblem(file: file, problem: $0) }
                scans.append(scan)
            }
        }
        add(scans, catalogue)
    }

    /// Reports on texts by their path.
    package init(texts: [(file: String, text: String)], _ catalogue: Catalogue = .standard) {
        var scans: [FileScan] = []
        for (file, text) in texts {
            guard let language = SourceTree.language(of: file) else { continue }
            let header = texts.first { $0.file == SourceTree.header(of: file) }
            let scan = FileScan(
                Array(text.utf8), language, file: file, catalogue, header: header.map { Array($0.text.utf8) })
            problems += scan.problems.map { FileProblem(file: file, problem: $0) }
            scans.append(scan)
        }
        add(scans, catalogue)
    }

    /// Joins the scans: what the app declares itself is not the vendor's.
    private mutating func add(_ scans: [FileScan], _ catalogue: Catalogue) {
        fileCount = scans.count
        lineCount = scans.reduce(0) { $0 + $1.lineCount }
        let own = scans.filter { !$0.isVendorHeader }
        let types = own.reduce(into: Set<String>()) { $0.formUnion($1.declaredTypes) }
        let members = own.reduce(into: Set<String>()) { $0.formUnion($1.declaredMembers) }
        let vendors = own.reduce(into: Set<Int>()) { $0.formUnion($1.vendors) }
        let used = Set(vendors.map { catalogue.vendors[$0].name })
        for finding in own.flatMap(\.findings) {
            var finding = finding
            switch finding.origin {
            case .name(let name), .prefix(let name):
                if types.contains(name) { continue }
            case .selector(let base):
                if !used.contains(finding.vendor) || members.contains(base) { continue }
            case .unknownMember(let base) where members.contains(base):
                finding.verdict = .ambiguous(text: "the app declares a method of this name")
            case .unknownMember, .member:
                if types.contains(String(finding.name.prefix { $0 != "." })) { continue }
            case .moduleImport: break
            }
            findings.append(finding)
        }
        let order = Dictionary(uniqueKeysWithValues: Verdict.Kind.allCases.enumerated().map { ($1, $0) })
        findings.sort { left, right in
            let (first, second) = (order[left.verdict.kind] ?? 0, order[right.verdict.kind] ?? 0)
            return (left.vendor, first, left.name, left.file, left.line)
                < (right.vendor, second, right.name, right.file, right.line)
        }
    }
}
