import Foundation
import HTTPMessages

/// A request with its body in memory, for the recording and for comparing, beside the one that is sent.
struct RequestBodyCopy: Sendable {
    /// The request for the base: a body that can be read once is replaced by its bytes.
    let sent: HTTPRequest
    /// The bytes; nil without a body, and for one that is not read or longer than the limit.
    let bytes: Data?
    /// The request for the recording.
    let recorded: HTTPRequest
    /// True for a body that is longer than the limit, and is not in the recording.
    let isTooLarge: Bool

    /// - Parameter isNeeded: false to leave the body unread.
    /// - Throws: ``RecordingError`` (`bodyTooLarge`) for a body that can be read once; the errors of reading.
    init(_ request: HTTPRequest, _ rules: RecordingRules, isNeeded: Bool) async throws {
        guard isNeeded, !request.body.isEmpty else {
            (sent, bytes, recorded, isTooLarge) = (request, nil, request, false)
            return
        }
        let limit = rules.maximumBodyBytes
        var known = Data()
        var isTooLarge = false
        if case .bytes(let data) = request.body.source {
            (known, isTooLarge) = (data, data.count > limit)
        } else {
            for try await chunk in request.body.chunks() {
                guard chunk.count <= limit - known.count else {
                    isTooLarge = true
                    break
                }
                known.append(chunk)
            }
        }
        guard !isTooLarge else {
            guard request.body.isReplayable else { throw RecordingError.tooLarge(request, rules) }
            (sent, bytes) = (request, nil)
            var plain = request
            try plain.setBody(.empty)
            recorded = plain
            self.isTooLarge = true
            return
        }
        self.isTooLarge = false
        var copy = request
        try copy.setBody(.bytes(known))
        bytes = known
        recorded = copy
        sent = request.body.isReplayable ? request : copy
    }
}
