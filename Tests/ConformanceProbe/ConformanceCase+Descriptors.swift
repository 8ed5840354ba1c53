import Foundation
import HTTPMessages
import PatchbayTestKit
import Transport

extension ConformanceCase {
    /// Opens files until the process may open no more. For a process of its own, with a low limit.
    static let lackOfDescriptors = ConformanceCase("the lack of descriptors is named", needs: [.socket]) { subject in
        try await subject.serving({ $0.response() }) { rig in
            // The engine opens files of its own with its first request.
            _ = try await rig.send()
            let port = try RefusedPort()
            var files: [FileHandle] = []
            while let file = FileHandle(forReadingAtPath: "/dev/null") { files.append(file) }
            defer { files = [] }
            for url in ["http://127.0.0.1:\(port.port)/", "http://patchbay.invalid/"] {
                do {
                    _ = try await rig.transport.send(HTTPRequest(.post, url, body: .text("x")))
                    throw ConformanceFailure("\(url) has a response")
                } catch let error as TransportError {
                    guard error.code == .unknown, error.message.hasPrefix("Out of file descriptors: ") else {
                        throw ConformanceFailure("\(error)")
                    }
                }
            }
        }
    }
}
