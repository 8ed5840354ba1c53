public import Foundation

extension Recording {
    /// Reads a recording.
    /// - Throws: ``RecordingError`` (`unreadableFile`, `malformed`, `unsupportedVersion`).
    public init(contentsOf file: URL) throws(RecordingError) {
        guard let data = try RecordingFile.content(of: file) else {
            throw RecordingError(.unreadableFile, "There is no recording \(file.lastPathComponent); record it first.")
        }
        self = try RecordingFile.recording(data)
    }

    /// Writes the recording without its secrets, and replaces the file; its folder is created.
    ///
    /// So exchanges of another source, such as an HTTP archive, become a recording.
    /// - Throws: ``RecordingError`` (`secretFound`, `unwritableFile`); the file is unchanged then.
    public func write(to file: URL, rules: RecordingRules = .standard) throws(RecordingError) {
        var secrets = RecordedSecrets(rules)
        var cleaned = self
        for index in exchanges.indices {
            secrets.clean(&cleaned.exchanges[index])
            rules.edit?(&cleaned.exchanges[index])
        }
        try secrets.check(cleaned.exchanges)
        let data = try RecordingFile.checkedData(of: cleaned)
        _ = try RecordingFile.replace(file, by: data) { _ in true }
    }
}
