import HTTPMessages

extension RequestPath {
    /// Creates a path from a URI template, whose text is the path's ``template``.
    ///
    /// ```swift
    /// let issues = try URITemplate("repos/{owner}/{name}/issues{?state}")
    /// let path = try RequestPath(issues, ["owner": owner, "name": name, "state": nil])
    /// ```
    ///
    /// As in a literal, a value cannot name another path: a segment that a value leaves empty or makes `.` or `..` is
    /// an error. With the operator `+` a value has slashes and segments of its own, which may be empty.
    /// - Throws: ``URITemplateError`` (`missingValue`, `unknownValue`, `invalidValue`).
    public init(_ template: URITemplate, _ values: URITemplate.Values) throws(URITemplateError) {
        var expressions: [(URITemplate.Expression, Range<Int>)] = []
        var text = try template.expanded(values) { expressions.append(($0, $1)) }
        let fault = text.withUTF8 { template.fault(in: $0, expressions) }
        if let fault { throw fault }
        self.init(text, template: template.text)
    }
}

extension URITemplate {
    /// The error of the first segment of an expansion that a value leaves empty or makes a dot segment.
    fileprivate func fault(
        in bytes: UnsafeBufferPointer<UInt8>, _ expressions: [(Expression, Range<Int>)]
    ) -> URITemplateError? {
        let end = bytes.firstIndex { $0.endsPathSegment && $0 != UInt8(ascii: "/") } ?? bytes.count
        // Those that are not before the segment: segments and expressions are in the same order.
        var rest = expressions[...]
        for segment in bytes[..<end].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard segment.isEmpty || segment.isDotSegment else { continue }
            rest = rest.drop { $0.1.upperBound < segment.startIndex }
            let wrong = rest.prefix { $0.1.lowerBound <= segment.endIndex }.first { expression, range in
                segment.isEmpty
                    ? expression.leavesEmpty(at: segment.startIndex, range)
                    : range.overlaps(segment.startIndex..<segment.endIndex)
            }
            if let wrong { return fault(in: wrong.0, isEmpty: segment.isEmpty) }
        }
        return nil
    }

    private func fault(in expression: Expression, isEmpty: Bool) -> URITemplateError {
        let names = expression.variables.map { $0.name.debugDescription }.joined(separator: ", ")
        let problem = isEmpty ? "leaves an empty segment" : "makes its segment \".\" or \"..\""
        return URITemplateError(
            .invalidValue,
            "The value of \(names) in the URI template \(text.debugDescription) \(problem), which names another path; "
                + "pass another value.", variable: expression.variables.first?.name)
    }
}

extension URITemplate.Expression {
    /// True if the empty segment at a position comes from this expression, whose expansion has a range.
    fileprivate func leavesEmpty(at position: Int, _ range: Range<Int>) -> Bool {
        guard !operation.keepsReserved else { return false }
        switch operation.first {
        case nil: return range == position..<position
        case UInt8(ascii: "/"): return range.contains(position - 1)
        default: return false
        }
    }
}
