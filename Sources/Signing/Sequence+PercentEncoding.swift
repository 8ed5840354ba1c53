import HTTPMessages

extension Sequence<UInt8> {
    /// The bytes as a name or value of `@query-param`: as in a form, except that a space is `%20` (RFC 9421, section
    /// 2.2.8).
    var queryParameterEncoded: String { encoded(except: .form) }

    /// The bytes in percent-encoding, except for RFC 3986's unreserved characters and, if wanted, slashes.
    func awsEncoded(keepingSlashes: Bool = false) -> String {
        encoded(except: keepingSlashes ? .unreservedAndSlash : .unreserved)
    }

    private func encoded(except unescaped: UnescapedCharacters) -> String {
        var bytes: [UInt8] = []
        bytes.append(percentEncoding: self, except: unescaped)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension UnescapedCharacters {
    fileprivate static let unreservedAndSlash = UnescapedCharacters(alphanumericsAnd: "-._~/")
}
