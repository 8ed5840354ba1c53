/// What one source file uses and declares.
struct FileScan: Sendable {
    var file = ""
    var findings: [Finding] = []
    /// Types that the file declares.
    var declaredTypes: Set<String> = []
    /// Those of them that an Objective-C interface or protocol declares.
    var interfaces: Set<String> = []
    /// Functions and methods that the file declares, by their base names.
    var declaredMembers: [String: Set<MemberName>] = [:]
    /// Indices of the vendors that the file certainly uses.
    var vendors: Set<Int> = []
    var problems: [SourceProblem] = []
    var lineCount = 0

    /// Scans the text of a file.
    /// - Parameter header: The header of an implementation file, which declares its properties.
    init(_ bytes: [UInt8], _ language: SourceLanguage, file: String, _ catalogue: Catalogue, header: [UInt8]? = nil) {
        let (tokens, problems) = Lexer.read(bytes, as: language)
        var scanner = FileScanner(tokens, language, file: file, catalogue)
        if let header { scanner.readHeader(header) }
        scanner.scan()
        self = scanner.result
        self.file = file
        self.problems = problems
        lineCount = bytes.count { $0 == UInt8(ascii: "\n") }
    }

    init() {}

    /// The vendor whose interfaces the file declares, if it is a header without any other.
    func headerVendor(_ catalogue: Catalogue) -> Int? {
        guard file.hasSuffix(".h"), let vendor = interfaces.first.flatMap({ catalogue.names[$0]?.vendor }) else {
            return nil
        }
        return interfaces.allSatisfy { catalogue.names[$0]?.vendor == vendor } ? vendor : nil
    }
}
