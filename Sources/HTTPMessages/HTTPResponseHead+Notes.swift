private enum NotesKey: ResponseMetadataKey { static let defaultValue: [String] = [] }
private enum LocalKey: ResponseMetadataKey { static let defaultValue = false }
private enum HitKey: ResponseMetadataKey { static let defaultValue = false }
private enum OtherAttemptCountKey: ResponseMetadataKey { static let defaultValue = 0 }

extension HTTPResponseHead {
    /// Explanations of the status that layers have added for an error's message, such as which media types the request
    /// accepted. They contain no secrets.
    package var notes: [String] {
        get { self[NotesKey.self] }
        set { self[NotesKey.self] = newValue }
    }

    /// True for a response that a layer has made without a request, which a retry would make again.
    package var isLocal: Bool {
        get { self[LocalKey.self] }
        set { self[LocalKey.self] = newValue }
    }

    /// True for a response from a cache, for which nothing was sent.
    package var isHit: Bool {
        get { self[HitKey.self] }
        set { self[HitKey.self] = newValue }
    }

    /// The number of other attempts of the call.
    package var otherAttemptCount: Int {
        get { self[OtherAttemptCountKey.self] }
        set { self[OtherAttemptCountKey.self] = newValue }
    }

    /// A text with the notes and the number of attempts after it.
    package func addingNotes(to text: String) -> String {
        let attempts = otherAttemptCount > 0 ? ["after \(otherAttemptCount + 1) attempts"] : []
        return ([text] + notes + attempts).joined(separator: "; ")
    }
}
