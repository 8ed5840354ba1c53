extension EncodingSegment {
    /// The segment of a nested container, at the current position; the one that a name already has.
    func nested(
        _ kind: EncodingFrame.Kind, frame: Int, serial: UInt32, key: any CodingKey, isMember: Bool
    ) -> BufferEncoder {
        let name = isMember ? key.stringValue : nil
        if isMember, let hole = holes.last(where: { $0.serial == serial && $0.name == name }),
            kind != .undecided, hole.segment.frames.count > 0, hole.segment.frames[0].kind == kind
        {
            return BufferEncoder(hole.segment, frame: 0, serial: hole.segment.frames[0].serial)
        }
        do {
            guard depth < Self.maximumDepth else { throw located(tooDeep(Never.self), key) }
            if let name { try startMember(name, frame, serial) } else { try startElement(frame, serial) }
            let segment = try EncodingSegment(coding, path: path(frame) + [key], depth: depth)
            holes.append(Hole(offset: buffer.count, segment: segment, serial: serial, name: name))
            let encoder = segment.push(Never.self)
            if kind != .undecided { segment.open(kind, 0, encoder.serial) }
            return encoder
        } catch {
            fail(error)
            // No frame has this number: what is written to it fails, with this error.
            return BufferEncoder(self, frame: .max, serial: 0)
        }
    }

    /// Closes the first frame, and appends the whole text, with those of the nested segments, to a buffer.
    func finish(into output: inout ByteBuffer) throws {
        try close()
        var start = 0
        for hole in holes {
            try buffer.withBytes { (bytes) throws(JSONError) in
                try output.append(UnsafeRawBufferPointer(rebasing: bytes[start..<hole.offset]))
            }
            start = hole.offset
            try hole.segment.finish(into: &output)
            if hole.segment.mayHaveDuplicates { mayHaveDuplicates = true }
        }
        try buffer.withBytes { (bytes) throws(JSONError) in
            try output.append(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        }
    }
}
