import HTTPMessages

extension String {
    /// The text as one segment of a path, percent-encoded.
    var pathSegment: String {
        // `.` and `..` would be removed by normalization.
        if self == "." || self == ".." { return replacing(".", with: "%2E") }
        return percentEncoded(except: .unreserved)
    }
}
