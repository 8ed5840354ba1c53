import Foundation
import HTTPMessages
import Transport

extension TransportConformance {
    /// The description, debug description and dump of a value.
    private static func texts(of value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return "\(value) \(String(reflecting: value)) \(dumped)"
    }

    private static func checkNoSecret(in value: Any, _ what: String) throws {
        let texts = texts(of: value)
        try expect(!texts.contains("s3cret"), "\(what) shows a secret: \(texts)")
    }

    private static func secretRequest(_ rig: ConformanceRig, timeouts: Timeouts = Timeouts(response: nil, idle: nil))
        throws -> HTTPRequest
    {
        try rig.request(
            .post, "/path?token=s3cret&page=1",
            fields: HTTPFields([
                "Authorization": "Bearer s3cret", "Cookie": "session=s3cret", "X-Api-Key": "s3cret",
            ]), body: .text("password=s3cret"), timeouts: timeouts)
    }

    /// Redaction of errors and descriptions.
    static let secrets: [ConformanceCase] = [
        ConformanceCase("no error shows a secret", needs: [.faults]) { subject in
            let fields = try HTTPFields(["Set-Cookie": "session=s3cret", "X-Session-Token": "s3cret"])
            let service = ClosureService { $0.response(fields: fields, body: Data("token: s3cret, and more".utf8)) }
            // The stall comes last: on a busy machine its request may time out before it arrives.
            let script: [Fault?] = [
                .reset(.beforeHead), .close(.beforeHead), .reset(.inBody), .close(.inBody), nil, .stall(.beforeHead),
            ]
            try await subject.serving(service, faults: { script[$0] }) { rig in
                for fault in script {
                    let response: Duration? = fault == .stall(.beforeHead) ? .milliseconds(100) : nil
                    var request = try secretRequest(rig, timeouts: Timeouts(response: response, idle: nil))
                    if fault == nil { request.options.maximumResponseBytes = 5 }
                    let error = try await expectError(
                        .connectionLost, .truncated, .timedOut, .responseTooLarge
                    ) { try await rig.transport.send(request) }
                    try checkNoSecret(in: error, "the error")
                    if let underlying = error.underlying { try checkNoSecret(in: underlying, "the error's cause") }
                    try expect(
                        "\(error)".contains("POST ") && "\(error)".contains("page=1"),
                        "the error does not name its request: \(error)")
                }
            }
        },
        ConformanceCase("no error of a call that is cancelled shows a secret") { subject in
            try await subject.serving(.text) { rig in
                let request = try secretRequest(rig)
                let gate = Gate()
                let call = Task {
                    try? await gate.wait()
                    return try await rig.transport.send(request)
                }
                call.cancel()
                let error = try await expectError(.cancelled) { try await call.value }
                try checkNoSecret(in: error, "the error")
            }
        },
        ConformanceCase("no description of a response shows a secret") { subject in
            let fields = try HTTPFields(["Set-Cookie": "session=s3cret", "X-Session-Token": "s3cret"])
            try await subject.serving({ $0.response(fields: fields, body: Data("s3cret".utf8)) }) { rig in
                let request = try secretRequest(rig)
                try checkNoSecret(in: request, "the request")
                let response = try await rig.transport.send(request)
                try expect(response.body, is: Data("s3cret".utf8))
                try checkNoSecret(in: response, "the response")
                try checkNoSecret(in: response.head, "the head")
            }
        },
        ConformanceCase("no error of a refused connection shows a secret", needs: [.socket]) { subject in
            try await subject.serving(.text) { rig in
                let port = try RefusedPort()
                let request = try HTTPRequest(.get, port.url(of: "/?token=s3cret"))
                let error = try await expectError(.connectionRefused) { try await rig.transport.send(request) }
                try checkNoSecret(in: error, "the error")
                if let underlying = error.underlying { try checkNoSecret(in: underlying, "the error's cause") }
            }
        },
    ]
}
