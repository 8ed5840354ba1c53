import HTTPMessages

extension HTTPRequest {
    private static let minimumBytes: Int64 = 1024

    private static let compressedSubtypes: Set = [
        "zip", "gzip", "zstd", "x-7z-compressed", "x-bzip2", "x-xz", "pdf", "vnd.rar",
    ]

    /// Words by which names of fields tell of a digest or signature, such as `Content-MD5` and
    /// `X-Hub-Signature-256`.
    private static let digestWords: Set<Substring> = [
        "digest", "signature", "checksum", "hash", "hmac", "md5", "sha1", "sha256", "sha384", "sha512", "crc32",
        "crc32c", "crc64",
    ]

    /// Schemes that do not sign bodies, unlike AWS4-HMAC-SHA256, Digest with auth-int, Hawk, SharedKey and others.
    private static let schemesWithoutBody: Set = ["basic", "bearer", "dpop", "negotiate", "ntlm"]

    /// True for a body that compression may make smaller, and that no field or trailer of the request describes.
    var canBeCompressed: Bool {
        !body.isEmpty && body.length.map { $0 >= Self.minimumBytes } ?? true && options.allowsBodyCompression
            && options.trailers == nil
            && !fields.contains { Self.describesBody($0) } && hasCompressibleType
    }

    /// True for a field whose value depends on the bytes of the body as the caller knows them.
    private static func describesBody(_ field: HTTPFields.Field) -> Bool {
        switch field.name {
        case .contentEncoding, .contentRange: return true
        case .authorization: return !schemesWithoutBody.contains(field.value.prefix { $0 != " " }.lowercased())
        default:
            let words = field.name.canonicalName.split { $0 == "-" || $0 == "_" }
            // Offsets and lengths of resumable uploads count bytes before a coding.
            return words.first == "upload" || words.contains(where: digestWords.contains)
        }
    }

    private var hasCompressibleType: Bool {
        guard let mediaType = fields[.contentType].flatMap({ MediaType(parsing: $0) }) else { return true }
        switch mediaType.type {
        case "image": return mediaType.subtype == "svg+xml" || mediaType.subtype == "bmp"
        case "audio", "video": return false
        default: return !Self.compressedSubtypes.contains(mediaType.subtype)
        }
    }
}
