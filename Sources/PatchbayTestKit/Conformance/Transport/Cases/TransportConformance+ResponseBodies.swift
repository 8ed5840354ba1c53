import Foundation
import HTTPMessages
import Transport

extension TransportConformance {
    /// One text in several content codings.
    enum Coded {
        static let text = Data(String(repeating: "The jack is patched. ", count: 40).utf8)
        static let gzip = "H4sIAAAAAAACAwvJSFXISkzOVsgsVihILEnOSE3RUwgZFRwVHBUkRRAAcvYrdEgDAAA="
        /// The same text as two members, as `cat a.gz b.gz` makes them (RFC 1952, section 2.2).
        static let gzipMembers =
            "H4sIAAAAAAACAwvJSFXISkzOVsgsVihILEnOSE3RUwgZFcQmCAD9RbM2LAEAAB+LCAAAAAAAAgNLzlbILFYoSCxJzkhN0VMIyUhVyEpM"
            + "HhUcFdRTAACmGusKHAIAAA=="
        static let deflate = "eJwLyUhVyEpMzlbILFYoSCxJzkhN0VMIGRUcFRwVJEUQAMFpHJg="
        static let brotli = "G0cD+I2UqPOrQajI0JRLWQ4iSmlJwjIp5Tn0QrcbAA=="

        /// A megabyte of zeros in a kilobyte of gzip.
        static let bomb: Data = {
            let start = Data(base64Encoded: "H4sIAAAAAAACA+3BMQEAAADCoPVPbQhfoA==") ?? Data()
            let end = Data(base64Encoded: "PgMc6jinAAAQAA==") ?? Data()
            return start + Data(count: 1016) + end
        }()
    }

    /// A case with a body in a content coding.
    private static func coded(
        _ name: String, _ coding: String, _ body: Data,
        _ check: @escaping @Sendable (ConformanceRig) async throws -> Void
    ) -> ConformanceCase {
        ConformanceCase(name, needs: [.socket]) { subject in
            let fields = try HTTPFields(["Content-Encoding": coding, "Content-Type": "text/plain"])
            try await subject.serving({ $0.response(fields: fields, body: body) }, body: check)
        }
    }

    /// A case with a complete HTTP message whose coded body has no end.
    private static func refusesTruncated(_ name: String, _ coding: String, _ base64: String) -> ConformanceCase {
        coded(name, coding, (Data(base64Encoded: base64) ?? Data()).dropLast(20)) { rig in
            try await expectError(.undecodableContent, .truncated) { try await rig.send() }
        }
    }

    private static func decodes(_ name: String, _ coding: String, _ base64: String) -> ConformanceCase {
        coded(name, coding, Data(base64Encoded: base64) ?? Data()) { rig in
            let response = try await rig.send()
            try expect(response.body, is: Coded.text)
            try expect(response.fields[.contentEncoding], is: nil, "Content-Encoding of the decoded body")
            try expect(
                [nil, "\(Coded.text.count)"].contains(response.fields[.contentLength]),
                "Content-Length is that of the coded body")
            try expect(response.fields[.contentType], is: "text/plain", "Content-Type")
        }
    }

    /// Response bodies.
    static let responseBodies: [ConformanceCase] =
        [0, 1, 65_536, 3 << 20].map { size in
            ConformanceCase("a body of \(size) bytes comes whole") { subject in
                try await subject.serving({ $0.response(body: .sample(size)) }) { rig in
                    let response = try await rig.send()
                    try expect(response.body, is: .sample(size))
                    try expect(response.fields[.contentLength], is: "\(size)", "Content-Length")
                }
            }
        } + [
            decodes("a body in gzip comes decoded", "gzip", Coded.gzip),
            decodes("a body of several gzip members comes decoded", "gzip", Coded.gzipMembers),
            decodes("a body in deflate comes decoded", "deflate", Coded.deflate),
            decodes("a body in Brotli comes decoded", "br", Coded.brotli),
            coded("a body declared as gzip that is not gzip is an error", "gzip", Data("this is no gzip".utf8)) { rig in
                try await expectError(.undecodableContent, .malformedResponse) { try await rig.send() }
            },
            refusesTruncated("truncated gzip is an error", "gzip", Coded.gzip),
            refusesTruncated("truncated deflate is an error", "deflate", Coded.deflate),
            refusesTruncated("truncated Brotli is an error", "br", Coded.brotli),
            coded("the response to HEAD keeps the fields of its coding", "gzip", Data()) { rig in
                let response = try await rig.send(.head)
                try expect(response.fields[.contentEncoding], is: "gzip", "Content-Encoding")
                try expect(response.body, is: Data())
            },
            coded("a coded body whose decoded size exceeds the limit is refused", "gzip", Coded.bomb) { rig in
                let error = try await expectError(.responseTooLarge) { try await rig.send(limit: 100_000) }
                try expect(error.bodyPrefix.count <= 1024, "the error has \(error.bodyPrefix.count) bytes of the body")
                try await expect(rig.send(limit: 1 << 20).body.count, is: 1 << 20, "the length of the decoded body")
            },
            ConformanceCase("the limit on body bytes is inclusive") { subject in
                for fields in [HTTPFields(), try HTTPFields(["Transfer-Encoding": "chunked"])] {
                    try await subject.serving({ $0.response(fields: fields, body: .sample(100_000)) }) { rig in
                        try await expect(rig.send(limit: 100_000).body, is: .sample(100_000))
                        let error = try await expectError(.responseTooLarge) { try await rig.send(limit: 99_999) }
                        try expect(error.head?.status, is: .ok, "the status in the error")
                        try expect(
                            error.bodyPrefix.count <= 1024, "the error has \(error.bodyPrefix.count) bytes of the body")
                        // The next request is not affected.
                        try await expect(rig.send(limit: 100_000).body, is: .sample(100_000))
                    }
                }
            },
            ConformanceCase("a limit of 0 accepts an empty body") { subject in
                try await subject.serving({ $0.response() }) { rig in
                    try await expect(rig.send(limit: 0).body, is: Data())
                }
            },
        ]
}
