private enum NotesKey: ResponseMetadataKey { static let defaultValue: [String] = [] }

extension HTTPResponseHead {
    /// What layers know about an unwelcome status, for the text of the error that is made of it; without secrets.
    package var notes: [String] {
        get { self[NotesKey.self] }
        set { self[NotesKey.self] = newValue }
    }

    /// A text with the notes after it.
    package func addingNotes(to text: String) -> String {
        notes.isEmpty ? text : ([text] + notes).joined(separator: "; ")
    }
}
