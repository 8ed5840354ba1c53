import Foundation
import HTTPMessages
import ResponseDecoding
import TestSupport
import Testing
import Transport

private let peer = ProcessInfo.processInfo.environment["PATCHBAY_PYTHON_PEERS"]

/// PyPI's `werkzeug` and `urllib3` as writers of forms: `.ci/interop` starts them.
@Suite(.needsSlot, .enabled(if: peer != nil, "PATCHBAY_PYTHON_PEERS is not set."))
struct PythonMultipartInteropTests {
    private struct Part: Decodable, Equatable {
        var name: String?
        var fileName: String?
        var size: Int
    }

    @Test(arguments: ["werkzeug", "urllib3"])
    func `we read its forms`(writer: String) async throws {
        let request = try HTTPRequest(.get, "\(#require(peer))/multipart/write/\(writer)")
        let response = try await URLSessionTransport.shared.stream(request)
        let expected = try JSONDecoder().decode(
            [Part].self, from: Data(#require(response.head.fields["Peer-Parts"]).utf8))
        var parts: [Part] = []
        for try await part in try response.parts() {
            var body = Data()
            for try await chunk in part.content { body += chunk }
            if part.head.name == "file", body.count > 1000 {
                #expect(body.indices.allSatisfy { body[$0] == UInt8(truncatingIfNeeded: $0) })
            }
            parts.append(Part(name: part.head.name, fileName: part.head.fileName, size: body.count))
        }
        #expect(parts == expected && parts.count == 5)
    }
}
