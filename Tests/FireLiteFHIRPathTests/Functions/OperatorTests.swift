import FireLiteFHIRPath
import Testing

/// Operators on FHIRPath's own values, by the rules of the specification.
@Suite struct OperatorTests {
    @Test func arithmetic() throws {
        Sample.expect([
            ("1 + 2", "3"), ("1.5 + 2", "3.5"), ("1.50 + 2.5", "4.00"), ("5 - 7", "-2"), ("3 * 4", "12"), ("1.2 * 1.8", "2.16"),
            ("1 / 2", "0.5"),
            ("4 / 2", "2"), ("1 / 0", ""), ("1.0 / 0.0", ""), ("7 div 2", "3"), ("-7 div 2", "-3"), ("7.5 div 2", "3"), ("7 div 0", ""),
            ("7 mod 3", "1"),
            ("-7 mod 3", "-1"), ("5.5 mod 0.7", "0.6"), ("5 mod 0", ""), ("2147483647 + 1", ""), ("-2147483647 - 2", ""),
            ("65536 * 65536", ""),
            ("5L + 1", "6"), ("9223372036854775807 + 1", ""), ("1 + {}", ""), ("{} * 1", ""), ("'a' + 'b'", "ab"), ("'a' + {}", ""),
            ("'a' & {}", "a"),
            ("{} & {}", ""), ("('a' & {}) = 'a'", "true"), ("'a' - 'b'", "error: execution"), ("'a' + 1", "error: execution"),
            ("1 & 'a'", "error: execution"),
            ("(1 | 2) + 1", "error: execution"), ("-(1.50)", "-1.50"), ("+1", "1"), ("-'a'", "error: execution"),
            ("true + 1", "error: execution"),
            ("0.1 + 0.2 = 0.3", "true"), ("1234567890123456789.123456789 + 0.000000001", "1234567890123456789.123456790"),
            ("12345678901234567890123456789.5 * 2", "24691357802469135780246913579.0"),
        ])
    }

    @Test func logic() throws {
        let values = ["true", "false", "{}"]
        let tables: [(String, [String])] = [
            ("and", ["true", "false", "", "false", "false", "false", "", "false", ""]),
            ("or", ["true", "true", "true", "true", "false", "", "true", "", ""]),
            ("xor", ["false", "true", "", "true", "false", "", "", "", ""]),
            ("implies", ["true", "false", "", "true", "true", "true", "true", "", ""]),
        ]
        for (word, answers) in tables {
            for (place, answer) in answers.enumerated() {
                Sample.expect([("\(values[place / 3]) \(word) \(values[place % 3])", answer)])
            }
        }
        Sample.expect([("1 and 'a'", "true"), ("(1 | 2) and true", "error: execution"), ("false and (1 | 2)", "false")])
    }

    @Test func equality() throws {
        Sample.expect([
            ("1 = 1", "true"), ("1 = 1.0", "true"), ("1 = 2", "false"), ("1 = '1'", "false"), ("{} = {}", ""), ("1 = {}", ""),
            ("(1 | 2) = (1 | 2)", "true"),
            ("(1 | 2) = (2 | 1)", "false"), ("(1 | 2) = 1", "false"), ("1 != 2", "true"), ("{} != 1", ""), ("'a' = 'A'", "false"),
            ("true = true", "true"),
            ("1.10 = 1.1", "true"), ("1 ~ 1", "true"), ("{} ~ {}", "true"), ("1 ~ {}", "false"), ("'a b' ~ ' A  B '", "true"),
            ("1.234 ~ 1.2", "true"),
            ("1.26 ~ 1.2", "false"), ("(1 | 2) ~ (2 | 1)", "true"), ("(1 | 2) ~ (2 | 3)", "false"), ("1 !~ 2", "true"), ("1 !~ 1", "false"),
            ("5L = 5", "true"), ("1 = true", "false"), ("'é' = 'e\\u0301'", "false"),
        ])
    }

    @Test func order() throws {
        Sample.expect([
            ("1 < 2", "true"), ("2 <= 2", "true"), ("2 > 2", "false"), ("2 >= 2.0", "true"), ("'a' < 'b'", "true"), ("'B' < 'a'", "true"),
            ("1 < 'a'", "error: execution"),
            ("true < false", "error: execution"), ("{} < 1", ""), ("1 < {}", ""), ("1 < 1.5", "true"), ("5L > 4", "true"),
            ("@2020 < @T10", "error: execution"),
        ])
    }

    @Test func datesCompareToTheirPrecision() throws {
        Sample.expect([
            ("@2020 = @2020", "true"), ("@2020 = @2020-01", ""), ("@2020 = @2021-01", "false"), ("@2020-02-01 = @2020-02-01T10:00", ""),
            ("@2020-02-01T10:00:00Z = @2020-02-01T11:00:00+01:00", "true"), ("@2020-02-01T10:00 = @2020-02-01T10:00:00", ""),
            ("@2020-02-01T10:00:00 = @2020-02-01T10:00:00.0", "true"), ("@2020-02-01T10:00:00Z = @2020-02-01T10:00:00", ""),
            ("@2020-02-01T10:00:00Z = @2020-03-01T10:00:00", "false"), ("@T10:00 = @T10:00", "true"), ("@T10 = @T10:30", ""),
            ("@T10 < @T11:30", "true"),
            ("@2020 < @2020-02", ""), ("@2019 < @2020-02", "true"), ("@2020-02-01T10:00:00-04:00 < @2020-02-01T13:00:00Z", "false"),
            ("@2020-02-01 < @2020-02-01T23:59:00Z", ""), ("@2020-01-31 < @2020-02-02T00:00:00Z", "true"), ("@2020 ~ @2020-01", "false"),
            ("@2020-03-01T10:30:00Z > @2020-02", "true"),
            ("@2020-01-01 ~ @2020-01-01", "true"), ("@2020-01-01 = @T10", "false"), ("@2020T = @2020", "true"),
            ("@2020-12-31T23:30:00-01:00 = @2021-01-01T00:30:00Z", "true"), ("@2020-01-01T10:00:00.001 > @2020-01-01T10:00:00", "true"),
        ])
    }

    @Test func datesMoveByDurations() throws {
        Sample.expect([
            ("@2020-01-31 + 1 month", "@2020-02-29"), ("@2020-02-29 + 1 year", "@2021-02-28"), ("@2020-03-31 - 1 month", "@2020-02-29"),
            ("@2020 + 24 months", "@2022"), ("@2020 + 13 months", "@2021"), ("@2020-05 + 1 year", "@2021-05"),
            ("@2020-01-01 + 36 hours", "@2020-01-02"),
            ("@2020-01-01 + 1 week", "@2020-01-08"), ("@2020-01-01T23:00:00Z + 2 hours", "@2020-01-02T01:00:00Z"),
            ("@2020-01-01T00:00:00 - 1 second", "@2019-12-31T23:59:59"),
            ("@2020-01-01T00:00:00 + 1500 milliseconds", "@2020-01-01T00:00:01.500"),
            ("@2020-01-01T00:00:00 + 0.25 seconds", "@2020-01-01T00:00:00.250"), ("@2020-01-01 + 1.9 days", "@2020-01-02"),
            ("@T23:00 + 2 hours", "@T01:00"),
            ("@T00:30 - 1 hour", "@T23:30"), ("@T10:00:00 + 90 seconds", "@T10:01:30"), ("@2020-01-01 + 1 'd'", "@2020-01-02"),
            ("@2020-01-01 + 1 'mo'", "error: execution"), ("@2020-01-01 + 1 'kg'", "error: execution"),
            ("@2020-01-01 + 5", "error: semantic"),
            ("@9999-12-31 + 1 day", ""), ("@0001-01-01 - 1 day", ""), ("@2020-01-01 + 99999999999 years", ""),
            ("@2020-02 + 45 days", "@2020-03"),
            ("@T10 + 1 day", "error: execution"), ("@2020-01-01 + {}", ""),
        ])
    }

    @Test func quantitiesConvertBetweenUnitsOfOneDimension() throws {
        Sample.expect([
            ("1 'g' = 1000 'mg'", "true"), ("1 'g' = 1 'm'", ""), ("1 'g' != 1 'kg'", "true"), ("2.54 'cm' = 1 '[in_i]'", "true"),
            ("1 'L' = 1 'dm3'", "true"),
            ("120 'mm[Hg]' > 15 'kPa'", "true"), ("37 'Cel' = 98.6 '[degF]'", "true"), ("37 'Cel' = 310.15 'K'", "true"),
            ("1 'h' = 60 'min'", "true"),
            ("1 week = 7 days", "true"), ("1 year = 12 months", "true"), ("1 year = 365 days", ""), ("1 year = 1 'a'", ""),
            ("1 year ~ 1 'a'", "true"),
            ("1 day = 1 'd'", "true"), ("1 second = 1000 milliseconds", "true"), ("5.5 'mmol/L' = 5500 'umol/L'", "true"),
            ("10 'mg/dL' = 0.1 'g/L'", "true"),
            ("1 '[lb_av]' = 453.59237 'g'", "true"), ("1 'N' = 1 'kg.m/s2'", "true"), ("5 '10*3/uL' = 5 '10*9/L'", "true"),
            ("50 '%' = 0.5 '1'", "true"),
            ("60 '{beats}/min' = 1 '/s'", "true"), ("1 '[iU]' = 1 '[IU]'", "true"), ("1 '[iU]' = 1 'g'", ""),
            ("1 'unknown' = 1 'unknown'", "true"),
            ("1 'unknown' = 1 'g'", ""), ("1 = 1 '1'", "true"), ("1 'kg' + 500 'g'", "1.5 'kg'"), ("1 'kg' - 500 'g'", "0.5 'kg'"),
            ("1 'kg' + 1 'm'", ""),
            ("2 'm' * 3 'm' = 6 'm2'", "true"), ("6 'm' / 2 's' = 3 'm/s'", "true"), ("6 'm' / 2 'm'", "3 '1'"), ("2 * 3 'm'", "6 'm'"),
            ("6 'm' / 2", "3 'm'"),
            ("1 year + 6 months", "18 months"), ("-(5 'mg')", "-5 'mg'"), ("1 'cm'.comparable(1 '[in_i]')", "true"),
            ("1 'cm'.comparable(1 's')", "false"),
            ("1 'cm' < 1 's'", ""), ("1 'mg' < 1", ""), ("4.04 'g' ~ 4 'g'", "true"), ("4040 'mg' ~ 4 'g'", "true"),
            ("4600 'mg' ~ 4 'g'", "false"),
            ("1 'g/(m.s)' = 1 'g.m-1.s-1'", "true"), ("1 'm' / 0 's'", ""), ("1 'g' = 'g'", "false"), ("2 'h' + 30 'min'", "2.5 'h'"),
        ])
    }

    @Test func typesAreOfTwoNamespaces() throws {
        Sample.expect([
            ("1 is Integer", "true"), ("1 is System.Integer", "true"), ("1 is Decimal", "false"), ("1.0 is Decimal", "true"),
            ("'a' is String", "true"),
            ("true is Boolean", "true"), ("@2020 is Date", "true"), ("@2020T is DateTime", "true"), ("@T10 is Time", "true"),
            ("1 'g' is Quantity", "true"),
            ("5L is Long", "true"), ("{} is Integer", ""), ("(1 | 2) is Integer", "error: execution"), ("1 as Integer", "1"),
            ("1 as String", ""),
            ("(1 | 2) as Integer", "error: execution"), ("(1 | 'a' | 2).ofType(Integer)", "1, 2"), ("1.type().name", "Integer"),
            ("1.type().namespace", "System"), ("'a'.is(System.String)", "true"), ("1.is(Any)", "true"), ("1.ofType(2)", "error: semantic"),
        ])
    }
}
