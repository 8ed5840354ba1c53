extension Error {
    /// The keys to the value that a decoding error is about; empty for another error.
    package var decodingPath: [any CodingKey] {
        switch self as any Error {
        case DecodingError.keyNotFound(let key, let context): context.codingPath + [key]
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            context.codingPath
        default: []
        }
    }
}
