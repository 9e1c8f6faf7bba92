/// Converts the entries of a keyspace to and from entries of its database.
struct KeyspaceLayout<Key: Sendable, Value>: Sendable {
    let name: String
    let schema: KeySchema<Key>
    let codec: ValueCodec<Value>
    /// The prefix of every key.
    let prefix: [UInt8]

    func pack(_ key: Key) -> [UInt8] {
        var bytes = prefix
        schema.append(key, to: &bytes)
        return bytes
    }

    func range(_ range: TypedKeyRange<Key>) -> KeyRange { schema.range(range, prefix: prefix) }

    func encode(_ value: Value) throws(LevelError) -> [UInt8] {
        do throws(LevelError) {
            return try codec.encode(value)
        } catch {
            throw LevelError(
                error.code, "could not store a value in the keyspace \(name): \(error.message)", cause: error.cause)
        }
    }

    func key(_ bytes: Span<UInt8>) throws(LevelError) -> Key {
        do throws(KeySchemaError) {
            return try schema.unpack(bytes, from: prefix.count)
        } catch {
            throw LevelError(
                .malformedEntry, "could not read a key of the keyspace \(name): \(error.message)",
                cause: error.cause?.message)
        }
    }

    func value(_ bytes: Span<UInt8>) throws(LevelError) -> Value {
        do throws(LevelError) {
            return try codec.decode(bytes)
        } catch {
            throw LevelError(
                error.code, "could not read a value of the keyspace \(name): \(error.message)", cause: error.cause)
        }
    }
}
