public import Foundation
public import HTTPMessages
import SystemLibraries

extension HTTPRequest {
    /// The request as a line for a shell that runs `curl`.
    ///
    /// ```swift
    /// print(request.curl())  // curl 'https://api.example.com/items' -H 'Authorization: <redacted>'
    /// ```
    ///
    /// `sh` runs it and sends the same method, target, fields and body, to the same Unix socket or overridden names,
    /// with the same version of HTTP. Trailers are not in it: curl cannot send them. A body that is not text, or longer
    /// than 64 KiB, is read from a file (`--data-binary @file`): that of the request, else the one that
    /// ``curl(writingBodyTo:showingSecrets:redaction:)`` writes. Cookies, credentials and other fields that layers add
    /// are not in it: for those use the request of an ``ObservedAttempt``.
    /// - Parameters:
    ///   - showingSecrets: whether the values of secret fields, parameters and members, and a body in memory with
    ///     `hasSecretBody`, are shown; by default `<redacted>` stands for them.
    ///   - redaction: which ones are secret.
    ///   - bodyFile: the path of a body that the line does not contain.
    public func curl(
        showingSecrets: Bool = false, redaction: Redaction = .standard, bodyFile: String = "body.bin"
    ) -> String {
        CurlLine(self, redaction: showingSecrets ? nil : redaction, bodyFile: bodyFile).text
    }

    /// Writes the body to a file, and returns the line that sends it.
    ///
    /// The file has the bytes of the body as they are, secrets included, and mode 0600. It replaces one that exists.
    /// - Throws: errors of reading the body and of writing the file.
    public func curl(
        writingBodyTo file: URL, showingSecrets: Bool = false, redaction: Redaction = .standard
    ) async throws -> String {
        let path = file.path(percentEncoded: false)
        // Beside it, then renamed: the file may be that of the body.
        let target = file.resolvingSymlinksInPath()
        let copy = target.deletingLastPathComponent().appending(path: ".\(UUID().uuidString)").path(
            percentEncoded: false)
        defer { SystemFile.delete(copy) }
        let output = try SystemFile(copy, for: .creatingNew)
        for try await chunk in body.chunks() { try output.append(chunk) }
        try SystemFile.move(copy, to: target.path(percentEncoded: false))
        return CurlLine(self, redaction: showingSecrets ? nil : redaction, bodyFile: path, usesBodyFile: true).text
    }
}
