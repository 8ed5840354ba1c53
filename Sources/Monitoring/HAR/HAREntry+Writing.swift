import Foundation
import JSON

// Writes the JSON of an entry without a coder, several times as fast. It is the same as that of `encode(to:)`.

extension HAREntry {
    /// Appends the entry as JSON.
    func write(to buffer: inout ByteBuffer) throws(JSONError) {
        try buffer.append("{\"startedDateTime\":\"")
        try buffer.append(HARDate.text(startedDateTime))
        try buffer.append("\",\"time\":")
        try buffer.append(finite: time.milliseconds)
        try buffer.append(member: ",\"pageref\":", pageref)
        try buffer.append(",\"request\":")
        try request.write(to: &buffer)
        try buffer.append(",\"response\":")
        try response.write(to: &buffer)
        try buffer.append(",\"cache\":{},\"timings\":")
        try timings.write(to: &buffer)
        try buffer.append(member: ",\"serverIPAddress\":", serverIPAddress)
        try buffer.append(member: ",\"connection\":", connection)
        try buffer.append(member: ",\"comment\":", comment)
        if !attempts.isEmpty {
            try buffer.append(member: ",\"_attempts\":", attempts) { (attempt, buffer) throws(JSONError) in
                // An object needs no comma before its first member, which may be any.
                try buffer.append("{\"status\":")
                try buffer.append(attempt.status.map { "\($0)" } ?? "null")
                try buffer.append(member: ",\"error\":", attempt.error)
                if let backoff = attempt.backoff {
                    try buffer.append(",\"backoff\":")
                    try buffer.append(finite: backoff)
                }
                try buffer.append("}")
            }
        }
        try buffer.append("}")
    }
}

extension HARRequest {
    fileprivate func write(to buffer: inout ByteBuffer) throws(JSONError) {
        try buffer.append(member: "{\"method\":", method)
        try buffer.append(member: ",\"url\":", url)
        try buffer.append(member: ",\"httpVersion\":", httpVersion)
        try buffer.append(cookies: cookies)
        try buffer.append(member: ",\"headers\":", pairs: headers)
        try buffer.append(member: ",\"queryString\":", pairs: queryString)
        if let postData {
            try buffer.append(member: ",\"postData\":{\"mimeType\":", postData.mimeType)
            try buffer.append(member: ",\"text\":", postData.text)
            if let params = postData.params {
                try buffer.append(member: ",\"params\":", params) { (parameter, buffer) throws(JSONError) in
                    try buffer.append(member: "{\"name\":", parameter.name)
                    try buffer.append(member: ",\"value\":", parameter.value)
                    try buffer.append(member: ",\"fileName\":", parameter.fileName)
                    try buffer.append(member: ",\"contentType\":", parameter.contentType)
                    try buffer.append("}")
                }
            }
            try buffer.append(member: ",\"_encoding\":", postData.encoding)
            try buffer.append(member: ",\"comment\":", postData.comment)
            try buffer.append("}")
        }
        try buffer.append(sizes: headersSize, bodySize)
        try buffer.append("}")
    }
}

extension HARResponse {
    fileprivate func write(to buffer: inout ByteBuffer) throws(JSONError) {
        try buffer.append(number: "{\"status\":", status)
        try buffer.append(member: ",\"statusText\":", statusText)
        try buffer.append(member: ",\"httpVersion\":", httpVersion)
        try buffer.append(cookies: cookies)
        try buffer.append(member: ",\"headers\":", pairs: headers)
        try buffer.append(number: ",\"content\":{\"size\":", content.size)
        if let compression = content.compression { try buffer.append(number: ",\"compression\":", compression) }
        try buffer.append(member: ",\"mimeType\":", content.mimeType)
        try buffer.append(member: ",\"text\":", content.text)
        try buffer.append(member: ",\"encoding\":", content.encoding)
        try buffer.append(member: ",\"comment\":", content.comment)
        try buffer.append(member: "},\"redirectURL\":", redirectURL)
        try buffer.append(sizes: headersSize, bodySize)
        try buffer.append(member: ",\"_error\":", error)
        try buffer.append("}")
    }
}

extension HARTimings {
    fileprivate func write(to buffer: inout ByteBuffer) throws(JSONError) {
        try buffer.append("{\"send\":")
        try buffer.append(finite: send?.milliseconds ?? 0)
        try buffer.append(",\"wait\":")
        try buffer.append(finite: wait?.milliseconds ?? 0)
        try buffer.append(",\"receive\":")
        try buffer.append(finite: receive?.milliseconds ?? 0)
        try buffer.append(phase: ",\"blocked\":", blocked)
        try buffer.append(phase: ",\"dns\":", dns)
        try buffer.append(phase: ",\"connect\":", connect)
        try buffer.append(phase: ",\"ssl\":", ssl)
        try buffer.append("}")
    }
}

extension ByteBuffer {
    /// Appends a name with what is before it, and a string; nothing for nil.
    fileprivate mutating func append(member name: String, _ value: String?) throws(JSONError) {
        guard let value else { return }
        try append(name)
        try JSONStringWriter.write(value, to: &self)
    }

    fileprivate mutating func append(phase name: String, _ value: Duration?) throws(JSONError) {
        guard let value else { return }
        try append(name)
        try append(finite: value.milliseconds)
    }

    fileprivate mutating func append(number name: String, _ value: Int) throws(JSONError) {
        try append(name)
        try reserve(20)
        put(decimal: Int64(value))
    }

    fileprivate mutating func append(sizes head: Int, _ body: Int) throws(JSONError) {
        try append(number: ",\"headersSize\":", head)
        try append(number: ",\"bodySize\":", body)
    }

    fileprivate mutating func append(member name: String, pairs: [HARPair]) throws(JSONError) {
        try append(member: name, pairs) { (pair, buffer) throws(JSONError) in
            try buffer.append(member: "{\"name\":", pair.name)
            try buffer.append(member: ",\"value\":", pair.value)
            try buffer.append("}")
        }
    }

    fileprivate mutating func append(cookies: [HARCookie]) throws(JSONError) {
        try append(member: ",\"cookies\":", cookies) { (cookie, buffer) throws(JSONError) in
            try buffer.append(member: "{\"name\":", cookie.name)
            try buffer.append(member: ",\"value\":", cookie.value)
            try buffer.append(member: ",\"path\":", cookie.path)
            try buffer.append(member: ",\"domain\":", cookie.domain)
            try buffer.append(member: ",\"expires\":", cookie.expires)
            if let httpOnly = cookie.httpOnly { try buffer.append(",\"httpOnly\":\(httpOnly)") }
            if let secure = cookie.secure { try buffer.append(",\"secure\":\(secure)") }
            try buffer.append("}")
        }
    }

    /// Appends a name and an array.
    fileprivate mutating func append<Element>(
        member name: String, _ elements: [Element],
        _ write: (Element, inout ByteBuffer) throws(JSONError) -> Void
    ) throws(JSONError) {
        try append(name)
        try append("[")
        for index in elements.indices {
            if index > 0 { try append(",") }
            try write(elements[index], &self)
        }
        try append("]")
    }
}
