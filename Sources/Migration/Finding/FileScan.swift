/// What one source file uses and declares.
struct FileScan: Sendable {
    var findings: [Finding] = []
    /// Types that the file declares.
    var declaredTypes: Set<String> = []
    /// Base names of functions and methods that the file declares.
    var declaredMembers: Set<String> = []
    /// Indices of the vendors that the file certainly uses.
    var vendors: Set<Int> = []
    /// Whether the file declares the vendor's own classes, as its headers do.
    var isVendorHeader = false
    var problems: [SourceProblem] = []
    var lineCount = 0

    /// Scans the text of a file.
    init(_ bytes: [UInt8], _ language: SourceLanguage, file: String, _ catalogue: Catalogue) {
        let (tokens, problems) = Lexer.read(bytes, as: language)
        var scanner = FileScanner(tokens, language, file: file, catalogue)
        scanner.scan()
        self = scanner.result
        self.problems = problems
        lineCount = bytes.count { $0 == UInt8(ascii: "\n") }
    }

    init() {}
}
