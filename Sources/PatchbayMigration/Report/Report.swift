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
            scans.append(
                FileScan(
                    Array(text.utf8), language, file: file, catalogue, header: header.map { Array($0.text.utf8) }))
        }
        add(scans, catalogue)
    }

    /// The files without headers of the vendors: those with interfaces of a vendor's distinctive names, and those of a
    /// vendor that the app uses whose interfaces are all the vendor's. Neither are implemented in the app.
    private static func withoutVendorHeaders(_ scans: [FileScan], _ catalogue: Catalogue) -> [FileScan] {
        let implemented = scans.reduce(into: Set<String>()) { all, scan in
            if !scan.file.hasSuffix(".h") { all.formUnion(scan.declaredTypes) }
        }
        let own = scans.filter { scan in
            let names = scan.interfaces.filter { catalogue.names[$0]?.isDistinctive == true }
            return !scan.file.hasSuffix(".h") || names.isEmpty || !names.isDisjoint(with: implemented)
        }
        let (headers, others) = own.reduce(into: ([FileScan](), [FileScan]())) { parts, scan in
            let isHeader = scan.headerVendor(catalogue) != nil && scan.interfaces.isDisjoint(with: implemented)
            if isHeader { parts.0.append(scan) } else { parts.1.append(scan) }
        }
        let used = others.reduce(into: Set<Int>()) { $0.formUnion($1.vendors) }
        let left = Set(headers.filter { $0.headerVendor(catalogue).map(used.contains) == true }.map(\.file))
        return own.filter { !left.contains($0.file) }
    }

    /// Joins the scans: what the app declares itself is not the vendor's.
    private mutating func add(_ scans: [FileScan], _ catalogue: Catalogue) {
        fileCount = scans.count
        lineCount = scans.reduce(0) { $0 + $1.lineCount }
        let own = Self.withoutVendorHeaders(scans, catalogue)
        let ownFiles = Set(own.map(\.file))
        for scan in scans {
            let header =
                ownFiles.contains(scan.file)
                ? [] : [SourceProblem(line: 0, text: "a header of the vendor; not counted")]
            problems += (header + scan.problems).map { FileProblem(file: scan.file, problem: $0) }
        }
        let types = own.reduce(into: Set<String>()) { $0.formUnion($1.declaredTypes) }
        let members = own.reduce(into: [:]) { $0.merge($1.declaredMembers) { $0.union($1) } }
        let used = Set(own.flatMap(\.vendors).map { catalogue.vendors[$0].name })
        var leftOut: [String: Int] = [:]
        for finding in own.flatMap(\.findings) {
            var finding = finding
            switch finding.origin {
            case .name, .prefix, .member, .unknownMember:
                let type = String(finding.name.prefix { $0 != "." })
                guard !types.contains(type) else {
                    if catalogue.names[type] != nil, finding.verdict.kind != .ambiguous {
                        leftOut[type, default: 0] += 1
                    }
                    continue
                }
            case .selector(_, let receiver):
                // A type of the app may inherit from one of the vendor.
                if !used.contains(finding.vendor) || receiver.map({ types.contains($0) }) == false { continue }
            // `#import "Request.h"`, whose class the app declares.
            case .moduleImport: if types.contains(String(finding.name.dropFirst(7))) { continue }
            }
            switch finding.origin {
            case .selector(let name, _), .unknownMember(let name):
                // A selector has all its labels; a call in Swift may leave out some.
                let isSwift = SourceTree.language(of: finding.file) == .swift
                if members[name.base]?.contains(where: { isSwift ? name.canCall($0) : name.flat == $0.flat }) == true {
                    finding.verdict = .ambiguous(text: "the app declares a method of this name")
                }
            case .name, .prefix, .member, .moduleImport: break
            }
            findings.append(finding)
        }
        for (type, count) in leftOut.sorted(by: { $0.key < $1.key }) {
            guard let file = own.first(where: { $0.declaredTypes.contains(type) })?.file else { continue }
            let text = "declares \(type), as a vendor does; \(count) places of that name in all files are not counted"
            problems.append(FileProblem(file: file, problem: SourceProblem(line: 0, text: text)))
        }
        let order = Dictionary(uniqueKeysWithValues: Verdict.Kind.allCases.enumerated().map { ($1, $0) })
        findings.sort { left, right in
            let (first, second) = (order[left.verdict.kind] ?? 0, order[right.verdict.kind] ?? 0)
            return (left.vendor, first, left.name, left.file, left.line)
                < (right.vendor, second, right.name, right.file, right.line)
        }
    }
}
