import FireLiteSQLiteBridge
import Testing

/// A connection compiles statements for apps, which may only read, and its own, which may do everything, in any order.
struct AuthorizerTests {
    @Test func whatIsRefusedToAppsIsNotRefusedToTheLibrary() throws {
        let connection = try Connection(path: ":memory:")
        try connection.execute("CREATE TABLE t(a)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?)")
        for number in 0..<3 {
            for refused in ["DELETE FROM t", "CREATE TABLE u(a)", "BEGIN", "ATTACH ':memory:' AS x", "SELECT a FROM t; SELECT a FROM t"] {
                #expect(try connection.prepareReadOnly(refused) == nil)
            }
            #expect(connection.tablesRead(by: "SELECT a FROM t") == ["t"])
            #expect(connection.tablesRead(by: "SELECT 1") == [])
            insert.bind(1, Int64(number))
            try insert.run()
            try connection.run("CREATE TABLE \(quoted("t\(number)"))(a)")
            let count = try #require(try connection.prepareReadOnly("SELECT count(*) FROM t"))
            #expect(try count.step())
            #expect(count.int(0) == Int64(number + 1))
            #expect(connection.tablesRead(by: "SELECT t.a FROM t, t\(number)") == ["t", "t\(number)"])
        }
        #expect(try connection.integer("SELECT count(*) FROM sqlite_master") == 4)
    }
}
